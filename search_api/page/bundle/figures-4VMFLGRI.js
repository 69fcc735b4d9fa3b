import{a,b}from"./chunk-LV23EE7A.js";import"./chunk-GWKZ5YO7.js";import"./chunk-24OXYASB.js";import"./chunk-SQE76S5B.js";export{b as drawFigures,a as pathsOf};
