function a(n){let t=(n?.values??[]).map(e=>e.count);return t.length?[Math.min(...t),Math.max(...t)]:[1,1]}export{a};
