import{a as u}from"./chunk-47HDKH5N.js";import{a as r,i as o}from"./chunk-7X7B77XY.js";import{b as c,e as f}from"./chunk-WDIYF25G.js";function p({text:e,label:t}){let n=o(),[s,i]=f(!1);return"clipboard"in navigator?r("button",{type:"button",onClick:()=>{navigator.clipboard.writeText(e).then(()=>i(!0))},"aria-label":s?void 0:t,children:r("span",{role:"status",children:s?n.copied:n.copy})}):null}function d(e){return`# pip install geopandas
import geopandas

features = geopandas.read_file(${e})
print(features)`}var w={opendap:e=>`# pip install xarray netcdf4
import xarray

data = xarray.open_dataset(${e})
print(data)`,zarr:e=>`# pip install xarray zarr fsspec aiohttp
import xarray

data = xarray.open_zarr(${e})
print(data)`,netcdf:e=>`# pip install xarray netcdf4 fsspec aiohttp
import fsspec
import xarray

file = fsspec.open_local("simplecache::" + ${e})
data = xarray.open_dataset(file)
print(data)`,csv:e=>`# pip install pandas
import pandas

table = pandas.read_csv(${e})
print(table)`,parquet:e=>`# pip install pandas pyarrow
import pandas

table = pandas.read_parquet(${e})
print(table)`,geojson:d,vector:d,raster:e=>`# pip install rioxarray
import rioxarray

image = rioxarray.open_rasterio(${e})
print(image)`,wms:(e,{name:t})=>`# pip install owslib
from owslib.wms import WebMapService

service = WebMapService(${e}, version="1.3.0")
${g("layer",t)}
picture = service.getmap(
    layers=[layer], srs="EPSG:4326", bbox=service[layer].boundingBoxWGS84, size=(800, 400), format="image/png"
)
with open("map.png", "wb") as file:
    file.write(picture.read())`,wfs:(e,{name:t})=>`# pip install owslib geopandas
import geopandas
from owslib.wfs import WebFeatureService

service = WebFeatureService(${e}, version="2.0.0")
${g("layer",t)}
features = geopandas.read_file(service.getfeature(typename=[layer], maxfeatures=1000))
print(features)`,features:e=>{let[,t,n]=/^"(.*?)(?:\/collections(?:\/([^/?"]+).*)?)?"$/.exec(e)??[];return`# pip install owslib geopandas
import geopandas
from owslib.ogcapi.features import Features

service = Features(${n?`"${t}/"`:e})
layer = ${n?`"${decodeURIComponent(n)}"`:"service.feature_collections()[0]"}
found = service.collection_items(layer, limit=1000)
features = geopandas.GeoDataFrame.from_features(found["features"], crs="OGC:CRS84")
print(features)`}};function m(e){return w[e.access]?.(JSON.stringify(e.href),e)??null}function g(e,t){let n="next(iter(service.contents))";return t?`wanted = ${JSON.stringify(t)}
${e} = wanted if wanted in service.contents else ${n}`:`${e} = ${n}`}var x={wms:"WMS/WMTS",wmts:"WMS/WMTS",xyz:"XYZ Tiles",wfs:"WFS / OGC API - Features",features:"WFS / OGC API - Features",geojson:"Vector",vector:"Vector",csv:"Vector",raster:"Raster"};function b(e,t){let n=x[e.access];return n===void 0?null:{section:n,connection:O(e,t)}}function O({access:e,href:t},n){let s=`name="${y(n)}" url="${y(t)}"`;return e==="wms"||e==="wmts"?l("qgsWMSConnections","1.0",`<wms ${s}/>`):e==="xyz"?/\{-?y\}/.test(t)?l("qgsXYZTilesConnections","1.0",`<xyztiles ${s}/>`):null:e==="wfs"?l("qgsWFSConnections","1.1",`<wfs ${s} version="auto"/>`):e==="features"?l("qgsWFSConnections","1.1",`<wfs ${s} version="OGC_API_FEATURES"/>`):null}function l(e,t,n){return`<!DOCTYPE connections>
<${e} version="${t}">
  ${n}
</${e}>
`}var S={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"};function y(e){return e.replace(/[&<>"]/g,t=>S[t]??t).replace(/\s+/g," ")}var v=8;function k({openings:e}){return r(c,{children:e.slice(0,v).map(t=>r(h,{opening:t,named:e.length>1},`${t.access} ${t.href}`))})}function h({opening:e,named:t}){let n=o(),s=m(e)??"",i=e.name||e.access;return r("div",{class:"code",children:[t&&r("h2",{children:i}),r("pre",{tabIndex:0,role:"region","aria-label":n.actions.codeOf({name:i}),children:r("code",{children:s})}),r(p,{text:s,label:n.actions.copyCode({name:i})})]})}function z({openings:e,title:t}){return r(c,{children:e.slice(0,v).map(n=>r(W,{opening:n,title:t},`${n.access} ${n.href}`))})}function W({opening:e,title:t}){let n=o(),s=b(e,t);if(s===null)return null;let{section:i,connection:a}=s,$=()=>u(new Blob([a??""],{type:"text/xml"}),`${e.access}.xml`);return r("div",{class:"code",children:[e.name&&r("h2",{children:e.name}),r("p",{children:a===null?n.actions.qgisFile({section:i}):n.actions.qgisService({section:i})}),r("p",{class:"breaks",children:r("code",{children:e.href})}),r("p",{class:"row",children:[a!==null&&r("button",{type:"button",onClick:$,children:n.actions.saveConnection}),r(p,{text:e.href,label:n.actions.copyAddress})]})]})}function G({address:e,title:t}){let n=o(),s=`mailto:?${new URLSearchParams({subject:t,body:e}).toString().replaceAll("+","%20")}`,i=()=>{navigator.share({title:t,url:e}).catch(()=>{})};return r(c,{children:[r("p",{class:"breaks",children:r("code",{children:e})}),r("p",{class:"row",children:[r(p,{text:e,label:n.actions.copyAddress}),r("a",{href:s,children:n.actions.mail}),"share"in navigator&&r("button",{type:"button",onClick:i,children:n.actions.shareWith})]})]})}export{p as a,m as b,b as c,k as d,z as e,G as f};
