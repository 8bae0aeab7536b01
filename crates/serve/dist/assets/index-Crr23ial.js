var e,t,n,r,i,a,o,s,c,l,u=Symbol.for(`pv`),d={},f=[],p=/^m(i|n|o|s|text|space)$/,m=Array.isArray,h=f.slice,g=Object.assign;function _(e){e&&e.parentNode&&e.remove()}function v(n,r,i,a,o){var s={type:n,props:r,key:i,ref:a,__k:null,__:null,__b:0,__e:null,__c:null,constructor:u,__v:o||++t,__i:-1,__u:0};return!o&&e.vnode&&e.vnode(s),s}function y(e){return e.children}function b(e,t){this.props=e,this.context=t,this.__g=0}function x(e,t){if(t==null)return e.__&&x(e.__,e.__i+1);for(var n;t<e.__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!=`function`||e.props.__P?null:x(e)}function S(t){var n,r=t.__v,i=r.__e,a=[],o=[],s=t.__P;s&&((n=g({constructor:u},r)).__v=r.__v+1,e.vnode&&e.vnode(n),j(s,n,r,t.__n,s.namespaceURI,32&r.__u?[i]:null,a,i||x(r),32&r.__u,o),n.__v=r.__v,n.__.__k[n.__i]=n,M(a,n,o),r.__=r.__e=null,n.__e!=i&&C(n))}function C(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),C(e)}function w(t){(8&t.__g||(t.__g|=8,n.push(t),i++))&&r==e.debounceRendering||((r=e.debounceRendering)||queueMicrotask)(T)}function T(){try{for(var e,t=1;n.length;)n.length>t&&n.sort(a),e=n.shift(),t=n.length,8&e.__g&&S(e)}finally{(i=n.length)&&(r||queueMicrotask)(T)}}function ee(e,t,n,r,i,a,o,s,c,l,u){var p,m,h,g,_,v,y=r.__k||f,b=t.length;for(c=E(n,t,y,c,b),p=0;p<b;p++)(h=n.__k[p])!=null&&(m=~h.__i&&y[h.__i]||d,h.__i=p,v=j(e,h,m,i,a,o,s,c,l,u),g=h.__e,(m.ref!=h.ref||8&m.__u)&&(m.ref&&ae(m.ref,null,h,m),h.ref&&u.push(h.ref,h.__c||g,h)),_||=g,4&h.__u?(c=D(h,c,e,!m.__v),m.__e&&(m.__e=null)):typeof h.type==`function`&&v!==void 0?c=v:g&&(c=g.nextSibling),h.__u&=-21);return n.__e=_,c}function E(e,t,n,r,i){var a,o,s,c,l,d,f,p,h,g=n.length,_=g,b=0,S=0,C=e.__k=Array(i);for(a=0;a<i;a++)(o=t[a])!=null&&typeof o!=`boolean`&&typeof o!=`function`?(typeof o!=`object`||o.constructor===String?o=C[a]=v(null,o):m(o)?o=C[a]=v(y,{children:o}):o.constructor===u&&o.__b?o=C[a]=v(o.type,o.props,o.key,o.ref,o.__v):C[a]=o,c=a+b,o.__=e,o.__b=e.__b+1,s=null,~(l=o.__i=O(o,n,c,_))&&(_--,(s=n[l])&&(s.__u|=2)),s&&s.__v?(o.__u|=16,l==c-1?b--:l==c+1?b++:l!=c&&(l>c?b--:b++,S=1)):(~l||(i>g?b--:i<g&&b++),typeof o.type!=`function`&&(o.__u|=4))):C[a]=null;if(S){for(d=[],f=[],a=0;a<i;a++)if((o=C[a])&&16&o.__u){for(b=0,p=d.length;b<p;)d[h=b+p>>1]<o.__i?b=h+1:p=h;d[b]=o.__i,f[a]=b+1}for(b=d.length;a--;)f[a]&&(f[a]==b?b--:C[a].__u|=4)}if(_)for(a=0;a<g;a++)!(s=n[a])||2&s.__u||(s.__e==r&&(r=x(s)),oe(s,s));return r}function D(e,t,n,r){var i,a,o,s;if(typeof e.type==`function`){if(e.props.__P)return t;if(i=e.__k)for(a=0;a<i.length;a++)i[a]&&(i[a].__=e,t=D(i[a],t,n,!1));return t}for(t&&!t.parentNode&&(t=x(e))&&!t.parentNode&&(t=null),o=e.__e,s=t;s&&s.nodeType==8;)s=s.nextSibling;for(o!=s&&(!r&&n.moveBefore&&o.parentNode?n.moveBefore(o,t):n.insertBefore(o,t||null)),t=o;(t&&=t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(`$s`););return t}function O(e,t,n,r){var i,a=e.key,o=e.type,s=t[n],c=s&&!(2&s.__u);if(s===null&&a==null||c&&a==s.key&&o==s.type)return n;if(r>+!!c){for(i=n-1;i>=0;i--)if((s=t[i])&&!(2&s.__u)&&a==s.key&&o==s.type)return i;for(i=n+1;i<t.length;i++)if((s=t[i])&&!(2&s.__u)&&a==s.key&&o==s.type)return i}return-1}function k(e,t,n){n??=``,t[0]==`-`?e.setProperty(t,n):e[t]=n}function A(e,t,n,r,i){var a,o;if(t==`style`){if(typeof n==`string`)e.style.cssText=n;else{if(typeof r==`string`&&(e.style.cssText=r=``),r)for(t in r)n&&t in n||k(e.style,t);if(n)for(t in n)r&&n[t]==r[t]||k(e.style,t,n[t])}}else if(t[0]==`o`&&t[1]==`n`)typeof n!=`function`&&(n=null),typeof r!=`function`&&(r=null),(e.__e||={})[t]=n,n&&r||(o=l[t]||(l[t]=te(t)),(e.__a||={})[t]=c,a=t!=(t=t.replace(s,`$1`)),(t=t.slice(2))[0]<`a`&&(t=t.toLowerCase()),n?e.addEventListener(t,o,a):e.removeEventListener(t,o,a));else{if(i==`http://www.w3.org/2000/svg`)t=t.replace(/xlink(H|:h)/,`h`).replace(/sName$/,`s`);else if(t!=`width`&&t!=`height`&&t!=`href`&&t!=`list`&&t!=`form`&&t!=`tabIndex`&&t!=`download`&&t!=`rowSpan`&&t!=`colSpan`&&t!=`role`&&t!=`popover`&&t in e)try{e[t]=n??``;return}catch{}if(typeof n==`function`)return;n==null||!1===n&&t[4]!=`-`?e.removeAttribute(t):e.setAttribute(t,t==`popover`&&n==1?``:n)}}function te(t){return function(n){var r=this.__e;if(r){if(r=r[t],n[o]==null)n[o]=c++;else if(n[o]<this.__a[t])return;return r(e.event?e.event(n):n)}}}function j(t,n,r,i,a,o,s,c,l,d){var p,h,v,S,C,w,T,E,D,O,k,A,te,j,M,ae,N,P,F=n.type;if(n.constructor!==u)return null;128&r.__u&&(l=32&r.__u,p=r.__c.__z)&&(n.__u|=l,h=o=[],p.nodeType==8?c=ne(p,o):o.push(p),c=o[0]||c),(p=e.__b)&&p(n);n:if(typeof F==`function`){v=s.length;try{if(E=n.props,D=(p=F.prototype)&&p.render,O=(p=F.contextType)&&i[p.__c],k=p?O?O.props.value:p.__:i,(S=r.__c)?(n.__c=S,2&S.__g&&(S.__g|=1)):(D?n.__c=S=new F(E,k):(n.__c=S=new b(E,k),S.constructor=F,S.render=se),O&&O.sub(S),S.state||(S.state={}),S.__n=i,S.__g|=8,S.__h=[],S.__k=[]),D&&(S.__s||(S.__s=S.state),F.getDerivedStateFromProps&&(S.__s==S.state&&(S.__s=g({},S.__s)),g(S.__s,F.getDerivedStateFromProps(E,S.__s)))),C=S.props,w=S.state,S.__v=n,r.__c){if(E!==C&&D&&!F.getDerivedStateFromProps&&S.componentWillReceiveProps&&S.componentWillReceiveProps(E,k),n.__v==r.__v&&!(8&S.__g)||!(4&S.__g)&&S.shouldComponentUpdate&&!1===S.shouldComponentUpdate(E,S.__s,k)){n.__v!=r.__v&&(S.props=E,S.state=S.__s,S.__g&=-9),n.__e=r.__e,n.__k=r.__k,n.__k.some(function(e){e&&(e.__=n)}),f.push.apply(S.__h,S.__k),S.__k=[],S.__h.length&&s.push(S),c=x(r);break n}S.componentWillUpdate&&S.componentWillUpdate(E,S.__s,k),D&&S.componentDidUpdate&&S.__h.push(function(){S.componentDidUpdate(C,w,T)})}else D&&!F.getDerivedStateFromProps&&S.componentWillMount&&S.componentWillMount(),D&&S.componentDidMount&&S.__h.push(S.componentDidMount);S.context=k,S.props=E,S.__P=t,S.__g&=-5,A=e.__r,te=D?25:0;do S.__g&=-9,A&&A(n),p=S.render(S.props,S.state=S.__s,S.context);while(8&S.__g&&++te<25);D&&(f.push.apply(S.__h,S.__k),S.__k=[]),S.state=S.__s,S.getChildContext&&(i=g({},i,S.getChildContext())),D&&r.__c&&S.getSnapshotBeforeUpdate&&(T=S.getSnapshotBeforeUpdate(C,w)),j=p&&p.type===y&&p.key==null?p.props.children:p,E.__P&&(p=c,a=(t=E.__P).namespaceURI,l=o=null,r.props&&r.props.__P!=t&&(r.__k.some(function(e){e&&oe(e,e)}),r.__k=null),c=r.__k?x(r,0):null),c=ee(t,m(j)?j:[j],n,r,i,a,o,s,c,l,d),E.__P&&(n.__e=null,c=p),n.__u&=-161,h&&h.some(_),S.__h.length&&s.push(S),1&S.__g&&(S.__g&=-4)}catch(t){if(s.length=v,n.__v=null,l||o){if(t&&t.then){if(n.__u|=128|l,o){for(~(N=o.indexOf(c||void 0))||(N=o.length);(P=o[N-1])&&P.nodeType==8;)N--;for(;N<o.length;N++)if(P=o[N]){if(o[N]=null,M){if(P==ae)break}else{if(P.nodeType!=8)break;P.data.startsWith(`$s`)&&(ae=ne(M=P))}}}if(!M){for(;c&&c.nodeType==8&&c.nextSibling;)c=c.nextSibling;M=c}(p=ne(M=n.__c.__z||(n.__c.__z=M)))?(n.__e=M,c=p):n.__e=c,c&&=c.nextSibling}else o&&o.some(_)}else n.__e=r.__e;n.__k||=r.__k||[],t&&t.then||re(n),e.__e(t,n,r)}}else c=n.__e=ie(r.__e,n,r,i,a,o,s,l,d,t);return(p=e.diffed)&&p(n),c}function ne(e,t){if(e&&e.nodeType==8&&e.data.startsWith(`$s`))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith(`$s`))n++;else if(e.data.startsWith(`/$s`)&&!--n)return e}t&&t.push(e)}}function re(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(re))}function M(t,n,r){for(var i=0;i<r.length;)ae(r[i++],r[i++],r[i++]);e.__c&&e.__c(n,t),t.some(function(n){try{t=n.__h,n.__h=[],t.some(function(e){e.call(n)})}catch(t){e.__e(t,n.__v)}})}function ie(t,n,r,i,a,o,s,c,l,u){var f,g,v,y,b,S,C,w,T=r.props||d,E=n.props,D=n.type;if(D==`svg`?a=`http://www.w3.org/2000/svg`:D==`math`?a=`http://www.w3.org/1998/Math/MathML`:a||=`http://www.w3.org/1999/xhtml`,o){for(f=0;f<o.length;f++)if((b=o[f])&&(D?b.localName==D:b.nodeType==3)){t=b,o[f]=null;break}}if(!t){if(w=u.ownerDocument||document,!D)return w.createTextNode(E);t=w.createElementNS(a,D,E.is?E:u),c&&=(e.__m&&e.__m(n,o),!1),o=null}if(D){if(u=D==`template`&&t.content||t,o=D==`textarea`&&E.defaultValue!=null?null:o&&h.call(u.childNodes),!c&&o)for(T={},f=0;f<t.attributes.length;f++)T[(b=t.attributes[f]).name]=b.value;for(f in T)b=T[f],f==`dangerouslySetInnerHTML`?v=b:f==`children`||f in E||f==`value`&&`defaultValue`in E||f==`checked`&&`defaultChecked`in E||A(t,f,null,b,a);for(f in E)b=E[f],f==`children`?y=b:f==`dangerouslySetInnerHTML`?g=b:f==`value`?S=b:f==`checked`?C=b:c&&typeof b!=`function`||T[f]===b||A(t,f,b,T[f],a);g?(c||v&&(g.__html==v.__html||g.__html==t.innerHTML)||(t.innerHTML=g.__html),n.__k=[]):(v&&(t.textContent=``),(D==`foreignObject`||a==`http://www.w3.org/1998/Math/MathML`&&p.test(D))&&(a=`http://www.w3.org/1999/xhtml`),ee(u,m(y)?y:[y],n,r,i,a,o,s,o?o[0]:r.__k&&x(r,0),c,l),o&&o.some(_)),c&&D!=`textarea`||(f=`value`,D==`progress`&&S==null?t.removeAttribute(f):S==null||S===t[f]&&(D!=`progress`||S)||A(t,f,S,T[f],a),f=`checked`,C!=null&&C!=t[f]&&A(t,f,C,T[f],a))}else T===E||c&&t.data==E||(t.data=E);return t}function ae(t,n,r,i){try{typeof t==`function`?n?n.__x=t(n)||1:(i&&=i.__c||i.__e)&&(n=i.__x)&&(i.__x=null,typeof n==`function`?n():t(null)):t.current=n}catch(t){e.__e(t,r)}}function oe(t,n,r){var i,a,o,s;if(e.unmount&&e.unmount(t),!(i=t.ref)||i.current&&i.current!=t.__e||ae(i,null,n,t),i=t.__c){if(i.componentWillUnmount)try{i.componentWillUnmount()}catch(t){e.__e(t,n)}i.__P=i.__n=null}if(i=t.__k)for(s=0;s<i.length;s++)i[s]&&oe(i[s],n,typeof t.type!=`function`||r&&!t.props.__P);!r&&(i=t.__c)&&(i=i.__z)&&(a=ne(i,o=[]))&&(i==t.__e&&o.some(_),_(a),_(i)),r||_(t.__e),t.__e=t.__c=t.__=null}function se(e,t,n){return this.constructor(e,n)}function N(t,n){var r,i,a,o;e.__&&e.__(t,n),n.nodeType==9&&(n=n.documentElement),i=(r=t&&32&t.__u)?null:n.__k,n.__k=v(y,{children:[t]}),a=[],o=[],j(n,n.__k,i||d,d,n.namespaceURI,i?null:n.firstChild?h.call(n.childNodes):null,a,i?i.__e:n.firstChild,r,o),M(a,n.__k,o),n.__k.props.children=null}e={__e:function(e,t,n,r){for(var a,o,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(o=a.constructor)&&o.getDerivedStateFromError)&&a.setState(o.getDerivedStateFromError(e)),a.componentDidCatch&&(a.componentDidCatch(e,r||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(t){e=t}}throw i=0,e}},t=0,b.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=g({},this.state)),typeof e==`function`&&(e=e(g({},n),this.props)),e&&(g(n,e),this.__v&&(t&&this.__k.push(t),w(this)))},b.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),w(this))},b.prototype.render=y,n=[],i=0,a=function(e,t){return e.__v.__b-t.__v.__b},o=Symbol(),s=/(PointerCapture)$|Capture$/i,c=0,l={};var P,F,ce,le,ue=Object.is,de=0,fe=[],pe=[],I=e,me=I.__b,he=I.__r,ge=I.diffed,_e=I.__c,ve=I.unmount,ye=I.__;function be(e,t){I.__h&&I.__h(F,e,de||t),de=0;var n=F.__H||(F.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function L(e){return de=1,xe(Me,e)}function xe(e,t,n){var r=be(P++,2);if(r.t=e,!r.__c&&(r.__=[n?n(t):Me(void 0,t),function(e){var t=(r.__N||r.__)[0],n=r.t(t,e);ue(t,n)||(r.__N=[n,r.__[1]],r.__c.setState({}))}],r.__c=F,!F.__f)){F.__f=!0;var i=F.shouldComponentUpdate;F.shouldComponentUpdate=function(e,t,n){var r=this.__H;if(!r)return!0;var a=!1,o=this.props!=e;if(r.__.some(function(e){e.__N&&(a=!0,ue(e.__[0],e.__N[0])||(o=!0))}),i){var s=i.call(this,e,t,n);return a?s||o:s}return!a||o}}return r.__}function R(e,t){var n=be(P++,3);!I.__s&&je(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,F.__H.__h.push(n))}function z(e,t){var n=be(P++,4);!I.__s&&je(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,F.__h.push(n))}function Se(e){return de=5,Ce(function(){return{current:e}},[])}function Ce(e,t){var n=be(P++,7);return je(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function we(e,t){return de=8,Ce(function(){return e},t)}function Te(){var e;do{for(;e=pe.shift();)try{ke(e)}catch(t){I.__e(t,{__:(e=e.__P)&&e.__v})}for(;e=fe.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(ke),t.__h.some(Ae),t.__h=[]}catch(n){t.__h=[],I.__e(n,e.__v)}}}while(pe.length)}I.__b=function(e){F=null,me&&me(e)},I.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),ye&&ye(e,t)},I.__r=function(e){he&&he(e),P=0;var t=(F=e.__c).__H;t&&(ce==F?F.__h=[]:(t.__h.some(ke),t.__h.some(Ae),P=0),t.__h=[],t.__.some(function(e){e.__N&&(e.__=e.__N),e.u=e.__N=void 0})),ce=F},I.diffed=function(e){ge&&ge(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Oe(fe.push(t)),t.__H.__.some(function(e){e.u&&(e.__H=e.u)})),ce=F=null},I.__c=function(e,t){t.some(function(e){try{e.__h.some(ke),e.__h=e.__h.filter(function(e){return!e.__||Ae(e)})}catch(t){e.__h=[function(){throw t}]}}),_e&&_e(e,t)},I.unmount=function(e){ve&&ve(e);var t,n,r=e.__c;r&&r.__H&&(r.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n&&=n.__c}r.__P=n,Oe(pe.push(r))}else ke(r)}catch(e){t=e}}),r.__H=void 0,t&&I.__e(t,r.__v))};var Ee=typeof requestAnimationFrame==`function`;function De(e){var t,n=function(){clearTimeout(r),Ee&&cancelAnimationFrame(t),setTimeout(e)},r=setTimeout(n,35);Ee&&(t=requestAnimationFrame(n))}function Oe(e){e!=1&&le==I.requestAnimationFrame||((le=I.requestAnimationFrame)||De)(Te)}function ke(e){var t=F,n=e.__c;typeof n==`function`&&(e.__c=void 0,n()),F=t}function Ae(e){var t=F;e.__c=e.__(),F=t}function je(e,t){return!e||e.length!=t.length||t.some(function(t,n){return!ue(t,e[n])})}function Me(e,t){return typeof t==`function`?t(e):t}var B=class extends Error{problem;constructor(e){super(e.detail),this.problem=e}},Ne=class extends Error{},Pe=`tabia.key`;function Fe(){let e=/^#k=([0-9a-f]{32})$/.exec(location.hash);e?.[1]&&(localStorage.setItem(Pe,e[1]),history.replaceState(history.state,``,location.pathname+location.search))}var Ie=new Set,Le=!1;function Re(e){return Ie.add(e),()=>Ie.delete(e)}function ze(e){if(Le!==e){Le=e;for(let t of Ie)t(e);e&&He(1e3).then(Be)}}async function Be(){try{await fetch(`/api/v1/openapi.json`,{headers:Ve(),cache:`no-store`}),ze(!1)}catch{return await He(1e3),Be()}}function Ve(){return{Authorization:`Bearer ${localStorage.getItem(Pe)??``}`}}var He=e=>new Promise(t=>setTimeout(t,e));function Ue(e){let t=new URLSearchParams;for(let[n,r]of Object.entries(e))r!=null&&r!==``&&r!==!1&&t.set(n,r===!0?`1`:String(r));let n=t.toString();return n===``?``:`?${n}`}var We=500;function Ge(e,t,n){if(!n||t.length<=We)return{fen:e,play:t.join(`,`)};let{db:r,game:i,plies:a}=n;return{db:r,game:i,plies:a,play:t.slice(a).join(`,`)}}async function Ke(e,t,n,r,i=`no-cache`){for(let a=0;;a++){let o;try{o=await fetch(`/api/v1/${e}${Ue(t)}`,{cache:i,...n?{signal:n}:{},...r,headers:{...Ve(),...r?.headers}})}catch(e){if(n?.aborted)throw e;if(ze(!0),r)throw new Ne;await new Promise(e=>{let t=Re(()=>{t(),e()})}),n?.throwIfAborted();continue}if(ze(!1),o.ok)return o;let s=r===void 0||r.method===`PUT`;if(o.status===503&&s&&a<60){await He(400),n?.throwIfAborted();continue}let c={status:o.status,title:``,detail:o.statusText};try{c=await o.json()}catch{}throw new B(c)}}async function V(e,t={},n,r){return await(await Ke(e,t,n,void 0,r)).json()}async function qe(e,t,n){return await(await Ke(e,t,void 0,{method:`PUT`,body:n})).json()}async function Je(e,t,n){return await(await Ke(t,{},void 0,{method:e,...n===void 0?{}:{body:JSON.stringify(n),headers:{"Content-Type":`application/json`}}})).json()}async function Ye(e,t){Xe(await(await Ke(e,{})).blob(),t)}function Xe(e,t){let n=document.createElement(`a`);n.href=URL.createObjectURL(e),n.download=t,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),6e4)}async function Ze(e,t){let n=new AbortController,r=(await Ke(e,{},n.signal,{method:`GET`})).body?.pipeThrough(new TextDecoderStream).getReader(),i=``;try{for(;;){let e=await r?.read();if(!e||e.done)return;i+=e.value;let n=i.split(`

`);i=n.pop()??``;for(let e of n){let[,n,r]=/^event: (\w+)\ndata: (.*)$/.exec(e)??[];if(n&&r&&!t(n,JSON.parse(r)))return}}}finally{n.abort()}}async function Qe(e,t={}){return(await Ke(e,t)).text()}async function $e(e,t,n,r){return n===``?null:(await V(`db/${encodeURIComponent(e)}/games/${t}/moment`,{where:n},r)).moment}function et(e){if(e.container!==null||e.dropped)return null;let t=e.folder.includes(`\\`)?`\\`:`/`;return e.folder===``?e.name:`${e.folder.replace(/[\\/]$/,``)}${t}${e.name}`}function tt(){return{path:location.pathname.split(`/`).filter(e=>e!==``).map(nt),query:new URLSearchParams(location.search)}}function nt(e){try{return decodeURIComponent(e)}catch{return e}}var rt=new Set;function it(){for(let e of rt)e()}addEventListener(`popstate`,it);function at(e,t=!1){e!==location.pathname+location.search&&(t?history.replaceState(null,``,e):history.pushState(null,``,e),it())}var ot=0;function st(e){let t=new URLSearchParams(H??location.search);for(let[n,r]of Object.entries(e))r===null||r===``?t.delete(n):t.set(n,String(r));H=t.toString(),clearTimeout(ot),ot=setTimeout(ct,120)}var H=null;function ct(){if(H===null)return;let e=H===``?``:`?${H}`;H=null,history.replaceState(history.state,``,location.pathname+e)}addEventListener(`pagehide`,ct);function lt(e){st(e),clearTimeout(ot),ct(),it()}function ut(e){clearTimeout(ot),ct(),st(e),clearTimeout(ot);let t=H??``;H=null,at(location.pathname+(t===``?``:`?${t}`))}function dt(e,t){let n=new URLSearchParams(location.search);return n.set(e,t),`${location.pathname}?${n.toString()}`}function U(){let[e,t]=L(tt);return R(()=>{let e=()=>{clearTimeout(ot),H=null,t(tt())};return rt.add(e),()=>{rt.delete(e)}},[]),e}function ft(e){let t=e.target?.closest?.(`a[href]`);if(!t||e.defaultPrevented||e.button!==0||e.ctrlKey||e.metaKey||e.shiftKey||e.altKey)return;let n=t.getAttribute(`href`)??``;!n.startsWith(`/`)||t.hasAttribute(`download`)||t.hasAttribute(`target`)||(e.preventDefault(),ct(),at(n))}var pt=(e,t={})=>`/games?${new URLSearchParams({db:e.join(`,`),...t}).toString()}`,mt=(e,t,n={})=>{let r=new URLSearchParams(n).toString();return`/db/${encodeURIComponent(e)}/game/${t}${r?`?${r}`:``}`},ht=(e,t={})=>`/explorer?${new URLSearchParams({src:e.join(`,`),...t}).toString()}`,gt=e=>`/health?${new URLSearchParams({db:e}).toString()}`,_t=(e,t,n=``,r=null)=>{let i={...t?{db:t}:{},...n?{with:n}:{},...r?{reference:r}:{}},a=new URLSearchParams(i).toString();return`/player/${encodeURIComponent(e)}${a===``?``:`?${a}`}`},vt=(e,t)=>`/search?${new URLSearchParams(t===``?{db:e}:{db:e,q:t}).toString()}`,yt=e=>`/duplicates?${new URLSearchParams({db:e}).toString()}`,bt=(e,t,n,r=``,i=!1)=>{let a={db:e,...t?{to:t}:{},...n?{profile:n}:{},...r?{q:r}:{},...i?{deleted:`1`}:{}};return`/convert?${new URLSearchParams(a).toString()}`},xt=(e,t={})=>{let n=new URLSearchParams(t).toString();return`/book/${encodeURIComponent(e)}${n?`?${n}`:``}`};function St(e,t,n,r){let i=new URLSearchParams({db:e.join(`,`)});return t!==``&&i.set(`q`,t),n!==``&&i.set(`sort`,n),r&&i.set(`deleted`,`1`),`/games?${i.toString()}`}var Ct=new Map;function wt(e){let t=Ct.get(e);if(t)return t;let n=fetch(e).then(e=>{if(!e.ok)throw Error(e.statusText);return e.json()});return Ct.set(e,n),n.catch(()=>Ct.delete(e)),n}var Tt=`/assets/problems-de-DpmZKrw3.json`,Et=`/assets/problems-en-mnhC00Uq.json`,Dt=`/assets/problems-es-D2ZfuHQ_.json`,Ot=`/assets/problems-fr-BSoDzJAB.json`,kt=`/assets/problems-ru-DwVAIL-T.json`,At=`/assets/de-XQmZf450.json`,jt=`abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ`,Mt=`nav
skip
help
settings
close
open
stop
loading
copied
copyFailed
gone
goneInput
notFound
changed
white
black
text
text.file
round
preview
search
controls
notation
trial
board
depth
medals
medal.best
medal.decided
medal.model
medal.novelty
medal.pawns
medal.strategy
medal.tactics
medal.attack
medal.defence
medal.sacrifice
medal.material
medal.piece
medal.endgame
medal.tacticalBlunder
medal.strategicBlunder
medal.user
critical
media
quotation
timeControl
pawnStructure
piecePath
foreign
kept
training
duplicates.title
duplicates.none
duplicates.found
duplicates.hint
duplicates.exact
duplicates.near
duplicates.embedded
duplicates.sameMoves
duplicates.common
duplicates.differ
duplicates.pair
duplicates.game
duplicates.kept
duplicates.dropped
duplicates.more
book.title
book.entries
book.nothing
book.share
book.comment
book.raw
book.noMove
book.games
book.gamesIn
book.gamesOf
book.gamesOfNamed
book.readOnly
set.classic
set.angular
set.contrast
theme.switch
theme.system
theme.light
theme.dark
colors.brown
colors.green
colors.blue
colors.grey
colors.contrast
pieces.figurines
pieces.letters
pieces.english
book.edit
book.editNamed
book.add
book.changesLabel
book.undo
book.redo
book.save
book.saveTitle
book.remove
book.annotation
book.advice
advice.play
advice.avoid
advice.none
book.apply
book.removed
book.changed
book.added
book.editable
speed.ultraBullet
speed.bullet
speed.blitz
speed.rapid
speed.classical
speed.correspondence
find
unlikely.title
unlikely.hint
unlikely.none
unlikely.noDay
unlikely.early
unlikely.late
unlikely.mate
unlikely.stalemate
decide.left
decide.right
decide.merge
decide.both
decide.progress
decide.rest
decide.keys
decide.save
decide.load
decide.loaded
decide.notLoaded
decide.merged
decide.write
decide.writeHint
book.evals
book.evalsNone
book.loses
book.losesNone
book.preview
book.showRaw
notFound.hint
variationColor
format.database
format.book
format.archive
format.list
format.suite
format.games`.split(`
`),Nt=393,Pt=e=>e<Nt?jt[e/52|0]+jt[e%52]:Mt[e-Nt],Ft=Object.fromEntries(`This page needs its key. Open the address that tabia serve printed in the terminal, with everything after the #.
Shelf
{total} so far; still to be opened: {n}
Order
name
size
last change
All games
Name or format
{n} of {total}
Neither name nor format of a file contains “{text}”.
Show all
Databases
Books
Archives
Cannot be opened
There is nothing on the shelf yet
Start tabia serve with a folder that holds databases or books:
Open files
Open files…
or drop databases, books and archives here. A copy is kept until the server ends.
Sending {name} …
On the shelf: {name}
These files have {bytes}, but {space} are left. Start tabia serve with their path.
Folders cannot be dropped; drop the files in them.
dropped here
{n} deleted
Opening book
contains {n}
in {name}
Games
Password
Explorer
Check
Problems: {n}
Go to game
deleted too
{n} of {total} games
at least {n} of {total} games …
No game fits
{n} without {part}
Game {n} is not in this list
Sort by {column}, ascending
Sort by {column}, descending
Do not sort by {column}
White
Black
Elo
Result
Moves
Opening
Event
Site
Rd
Date
Annotator
Database
carlsen  elo:>=2700  result:1-0
Go
Show all games
What can be asked
Suggestions
{n} suggestion|{n} suggestions
Games of the list
List
‹ Previous
Next ›
Game {n} of {total}
This game is marked as deleted.
Parts of the game
Tags
Profile
Copy FEN
Copy PGN
Start of the game
Back one move
Play
Pause
Next move
End of the line
Flip the board
Position as text
Back to the game
white {piece}
black {piece}
empty
White to move
Black to move
Move
Play it
{move} is not a legal move here
KQRBN
king
queen
rook
bishop
knight
pawn
takes
, check
, mate
becomes
castles kingside
castles queenside
arrow|square|circle|dot|frame|letter
green|red|yellow|blue|orange|purple|magenta|cyan|white|black|dark blue
used
used in all
clock
{n} point|{n} points
Hint
Answer
Show the hidden moves
This part of the game shows the answer to a question that is still open.
Correct.
That is not the answer. Try again.
Evaluation
Clock
Values
White {white} %, draws {draws} %, Black {black} %
Moves of the position
Weight
Perf.
Last
All
recommended by the book
not to be played, by the book
only in one source
No source has this position.
There are no books or databases to explore.
Sources
add a source
Remove {name}
{name}: reading {done} of {total} games …
stopped; the numbers are of the games read so far
Games with this position
Top games
Latest games
Games of the book
Check
Properties
Format
Character set
Title
Folder
Reading: {n} games so far …
Everything was read; nothing is wrong.
Game {n}:
line {n}
and {n} more
What was read
Texts
Deleted games
Half-moves
Variations
Positions
Choose what to show
all databases
Copy command
More
Entries
more games reach this position by other moves
also by {moves}
{name}: from its saved index
{name}: read from start to end; a saved index makes it faster.
{name}: read from start to end
Players
Name of a player
Type the start of a name: the games of the player by colour, opening and year appear here.
There is no game of this player.
With White
With Black
won {wins} %, drawn {draws} %, lost {losses} %
Games: {n}, score {score}
openings
without a name
Won, drawn, lost
Score
Exp.
score expected by the ratings
Opp.
By year
Year
Height: games of the year. Coloured part: share of the points.
What a square has to hold
Choose a piece, then the squares. Squares left open may hold anything. The query below can be edited.
Material
Move played
Half-moves before it
Half-moves it lasts
colours exchanged too
mirrored too
Query
Find games
Clear
not asked
must be empty
any piece
any white piece
any black piece
Games found: {n}
The first {n} games
Show them as a list
Moment
end
Conversion
to
choose a format
Choose a format: the page shows what the games would lose in it.
No game would be in the file.
Nothing is lost.
This is lost:
Records: {n}, {bytes}
Tried with the first {n} of {total} records; the whole has about {bytes}.
About {bytes} and {seconds}, by {n} of {total} records.
What
How many
First
the whole database
game {n}
Language
Theme
Board
Pieces on the board
Notation
Single letters are keys
Keys
Right mouse button draws: green, with Shift red, with Alt blue, with both yellow. Drawings are not stored.
back, next move; squares or rows if the board or list has the focus
out of, into a variation
start, end of the line; rows of a list
start, end of the game or list
Space
play the game
flip the board
position as text
arrows and squares on, off
explorer
next, previous game
menu of a row
go to a game by its number
search
open, back to the list
copy FEN
copy PGN
dark, light
this help
{n} database|{n} databases
{n} book|{n} books
{n} game|{n} games
{n} text|{n} texts
{n} position|{n} positions
{n} move|{n} moves
{n} second left|{n} seconds left
Jobs
Index of {name}
done
cancelled
Cancel
Cancel: {name}
Close: {name}
Build index
Build index of {name}
about {bytes}, {seconds}
indexed
index out of date
{n} change|{n} changes
File {name}
Open {name}
Download {name}
Write a file
File name
replace a file with this name
Write file
{name} is being written
New files go into the folder that tabia serve was started with. Inputs are never changed.
Only games that fit:
By the rating of the opponents
Save as CSV
Save as CSV: {name}
Save as JSON
Games with {move}: {n}
Only games that fit
Ply {ply}, answered in {ms} ms
Columns
The first {n} rows were saved; the command has no limit.
First moves
The first 12 half-moves. Each move opens what came after it.
By time control
Speed
Not faced yet
Replies with at least 5 % of the games of the reference that no game of this player has, those first that are most likely to come.
Reference
choose
There is none.
After
Reply
Own games
Compare with another player
One player only
Games between the two
the other one plays it, too
Bishops
of the same colour
of opposite colours
books
asked before
Languages of the comments
last opened
checked
Parts of the query
Game {n}: what to do
Select (Space)
Selected: {n}
Selected games
Select none
Save as PGN
{column} earlier
{column} later
{column} narrower
{column} wider
As at first
Drag to move; Shift ← → moves, + − changes the width
select a game of a list; with the arrows several
References
Stored
In this game
Related games
not in the databases of the shelf
Copy address
Index entry
Kept, not shown
{n} byte of {file} from {offset}|{n} bytes of {file} from {offset}
Extended entry
Game
Annotations
No file has the bytes of this record as they are read.
{share} annotated
Path
Copy the path of {name}
Only games of {name} that fit
Filter of {name}
Mark what is new after
first played in {year}
What a repair would save
Reads everything that is left and counts what of each game is saved; nothing is kept.
Every game is whole; there is nothing to repair.
whole: {whole}, damaged: {damaged}, lost: {lost}
damaged
lost
Reason
Names in several spellings
Compares all names of players, events, sites and annotators.
Each name has one spelling.
Names with several spellings: {n}
Proposal
Other spellings
Choose all
Choose none
Name to keep instead of {name}
Write a database with the chosen names
Names that are not chosen stay as they are.
Games that change: {n}
Changes
Names in other character sets
The first 20 names with letters that are not ASCII, as other character sets show them.
All names are ASCII: every character set shows them alike.
Now
The format keeps nothing of it.
Compare
Compare: {kind}
Pieces, from – to
{piece}, at least
{piece}, at most
Find other spellings
No other spelling was found.
Count together
Counted together with
Count alone
{n} more move|{n} more moves
Copy whole game
moves that cannot be played here: {text}
{n} byte|{n} bytes
The opening in the explorer
Names that begin alike:
Games that cannot be read to their end and may be missing here: {n}
The moves of this variant are not played here
the file is gone
{n} finished job|{n} finished jobs
Close all finished jobs
No longer on the shelf: {name}
What is lost is not visible in the notation of this game.
Coloured: what the other side does not have.
Views
Skip to the content
Help
Settings
Close
Open
Stop
Loading …
Copied
The browser does not allow copying
The server does not answer. The page tries again every second; nothing is lost.
What is shown is no longer current, since a file cannot be read:
There is no such page.
{name} changed on disk and was loaded again
White
Black
Text
File:
round {n}
Preview
Search games
Moves
Notation
Tried:
Board
depth {n}
Medals
best game
decided tournament
model game
novelty
pawn structure
strategy
tactics
attack
defence
sacrifice
material
piece play
endgame
tactical blunder
strategic blunder
user's medal
critical position
Media
compare
Time control
pawn structure marked
path of a piece marked
kept, not shown: {n} byte of type {kind}|kept, not shown: {n} bytes of type {kind}
kept, not shown: {kind}
Training
Duplicates
None of the {n} games is there twice.
Duplicates: {n} of {total} games
Nothing is changed here; decisions and the command make a new database.
exact
near
embedded
the same half-move|the same {n} half-moves
{n} half-move in common, of {a} and {b}|{n} half-moves in common, of {a} and {b}
different: {fields}
Two games
Game
is kept
duplicate
More pairs
Book
Entries of the position
The book does not have this position.
Share
Comment
Bytes
no legal move
Games with this position:
Games with the moves in
games
Games of {name} after {move}
In stored order, as they are in the file. “tabia book” changes copies of books.
classic
angular
high contrast
Light or dark
as the system
light
dark
brown
green
blue
grey, high contrast
black and white
figurines
letters of the language
English letters
Edit
Edit {move}
Add a move
Changes of the book
Undo
Redo
Save as…
Save as a new book
remove the move
Annotation
Advice
to be played
not to be played
none
Apply
removed
changed
added
In stored order. Changes stay in this window until they are saved in a new book; this one is never changed.
ultrabullet
bullet
blitz
rapid
classical
correspondence
Find
Dates and results that cannot be right
Days that do not exist, years before 1475 or after the file, results that the last position contradicts.
There are none.
no such day
before the oldest known game
later than the file
the game ends in mate
the game ends in stalemate
Keep first
Keep second
Merge
Keep both
Decided: {n} of {total}
Keep the first in the others shown
Keys: 1 first, 2 second, 3 merge, 0 both, u undo, j k next, previous pair
Save decisions
Load decisions…
Decisions loaded: {n}
The file contains no decisions of this page.
Merged game
Write a database without what is dropped
Pairs without a decision keep both games.
Warn of moves that lose in the stored evaluations of
no database
loses by the stored evaluations of {n} game|loses by the stored evaluations of {n} games
No move of this position loses by them.
The new book: positions {positions}, moves {moves}, {bytes}
show the stored bytes
The address may be mistyped, or of another version of tabia.
colour of the variation
{name} database
{name} book
{name} archive
{name} list
{name} suite
{name} games`.split(`
`).map((e,t)=>[Pt(t),e])),It={de:At,ru:`/assets/ru-DGRhBpxu.json`,fr:`/assets/fr-ChJMa9nC.json`,es:`/assets/es--AMXf9cA.json`},Lt=Ft,W=`en`;async function Rt(e){let t=It[e],n=t?await wt(t):null;Lt=n?Object.fromEntries(Object.keys(Ft).map((e,t)=>[e,n[t]])):Ft,W=t?e:`en`,document.documentElement.lang=W}var zt=()=>W,G=(e,t={})=>Bt(Lt[e],t),Bt=(e,t)=>e.replace(/\{(\w+)\}/g,(e,n)=>{let r=t[n];return r===void 0?e:typeof r==`number`?Vt(r):r});function K(e,t,n={}){let r=Lt[e].split(`|`),i={one:0,few:1}[new Intl.PluralRules(W).select(t)]??r.length-1;return Bt(r[Math.min(i,r.length-1)]??``,{...n,n:t})}function Vt(e){return Ht?.language!==W&&(Ht={language:W,format:new Intl.NumberFormat(W)}),Ht.format.format(e)}var Ht;function Ut(e){return e<1e4?Vt(e):e.toLocaleString(W,{notation:`compact`,maximumFractionDigits:1})}function Wt(e){let t=[`B`,`kB`,`MB`,`GB`,`TB`],n=0;for(;e>=1e3&&n<t.length-1;)e/=1e3,n++;return`${e.toLocaleString(W,{maximumFractionDigits:+(e<10&&n>0)})} ${t[n]??``}`}function Gt(e){let t=e>=120;return Math.max(1,Math.round(t?e/60:e)).toLocaleString(W,{style:`unit`,unit:t?`minute`:`second`,unitDisplay:`short`})}function Kt(e){return e.toLocaleString(W,{style:`percent`,maximumFractionDigits:+(e<.1)})}function qt(e,t=0){return t===0&&e>0&&e<.005?`<1 %`:`${(e*100).toLocaleString(W,{minimumFractionDigits:t,maximumFractionDigits:t})} %`}function Jt(e){let[,t,n,r=``]=/^(.+) (database|book|archive|list|suite|games)( for \w+)?$/.exec(e)??[];return t===void 0||W===`en`?e:G(`format.${n}`,{name:t+r.replace(` for `,`/`)})}var Yt=e=>e.replace(`1/2-1/2`,`½-½`);function Xt(e){return new Date(e*1e3).toLocaleDateString(W,{dateStyle:`medium`})}var Zt={K:`♔`,Q:`♕`,R:`♖`,B:`♗`,N:`♘`};function Qt(e,t){if(t===`english`)return e;let n=t===`letters`?Lt.bN:``;return e.replace(/[KQRBN]/g,e=>t===`figurines`?Zt[e]??e:n[`KQRBN`.indexOf(e)]??e)}function $t(e){if(e.startsWith(`O-O-O`))return G(`bZ`);if(e.startsWith(`O-O`))return G(`bY`);let t=[];for(let n of e)`KQRBN`.includes(n)?t.push(en(n)):n===`x`?t.push(G(`bU`)):n===`+`?t.push(G(`bV`)):n===`#`?t.push(G(`bW`)):n===`=`?t.push(G(`bX`)):t.push(n);return t.join(` `).replace(/([a-h]) ([1-8])/g,`$1$2`)}function en(e){let t={K:`bO`,Q:`bP`,R:`bQ`,B:`bR`,N:`bS`,P:`bT`}[e.toUpperCase()];return t?G(t):``}var tn={de:Tt,en:Et,ru:kt,fr:Ot,es:Dt};async function nn(){let e=tn[zt()];return e?wt(e):null}var rn=(e,t)=>e.replace(/\{(\w+)\}/g,(e,n)=>t[n]??e),an=[`cutField`,`impossibleValue`,`unplayable`,`unreadable`,`checksum`];function on(e,t){return/^[KQRBNPO\d]?[a-h\dx-]/.test(t)&&/[\dO]/.test(t)?t:e[`part.${t}`]??e[`part.${t.replace(/_.*/,``)}`]??e[`part.other`]??t}function sn(e,t){let n=t?e[`text.${t.id}`]:void 0;if(!t||n===void 0)return;let r=t.values.map((n,r)=>{let[,i]=/^(\d+) bytes?$/.exec(n)??[];return i===void 0?r===0&&an.includes(t.id)?on(e,n):n:K(`hs`,Number(i))});return rn(n,Object.fromEntries(r.map((e,t)=>[t+1,e])))}function cn(e,t){let n=sn(t,e.text),r={...e.values,...n===void 0?{}:{detail:n,message:n}},i=t[e.code??``];if(i===void 0)return e.detail;let a=[`game`,`ply`,`line`,`offset`].flatMap(e=>{let n=t[`at.${e}`];return r[e]===void 0||n===void 0||i.includes(`{${e}}`)?[]:[rn(n,{n:r[e]})]}),o=[r.file,a.join(`, `)].filter(e=>e).join(`: `);return o===``?rn(i,r):`${o}: ${rn(i,r)}`}async function ln(e){let t=(e.hint??``).replace("`tabia help search` lists all fields",`all fields are listed below`),n={text:e.detail,hint:t};e.code===`fileIsMissing`&&(n.text=[e.values?.file,G(`hx`)].filter(e=>e).join(`: `));try{let t=await nn();if(!t)return n;if(zt()===`en`){let[r,i]=[e.values?.detail,sn(t,e.text)];return r&&i?{...n,text:n.text.replace(r,()=>i)}:n}return{text:e.code===`fileIsMissing`?n.text:cn(e,t),hint:t[`${e.code}.hint`]??sn(t,e.hintText)??n.hint}}catch{return n}}async function un(e){let t=await nn()??{};return(typeof e==`string`?t[e]:sn(t,e))??null}async function dn(e){let{text:t,hint:n}=await ln(e);return n===``?t:`${t} – ${n}`}var fn=Symbol.for(`pv`),pn=0;Array.isArray;function q(t,n,r,i,a,o){n||={};var s,c,l=n;if(`ref`in l&&typeof t!=`function`)for(c in l={},n)c==`ref`?s=n[c]:l[c]=n[c];var u={type:t,props:l,key:r,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:fn,__v:--pn,__i:-1,__u:0};return(a||o)&&(u.__source=a,u.__self=o),e.vnode&&e.vnode(u),u}function J(e,t){let[n,r]=L({state:`loading`});return z(()=>{let t=new AbortController;return r(e=>e.state===`loading`?e:{state:`loading`}),e(t.signal).then(e=>{t.signal.aborted||r({state:`done`,value:e})},e=>{t.signal.aborted||r({state:`error`,error:e})}),()=>t.abort()},t),n}var mn=new WeakMap;async function hn(e){let t=mn.get(e);if(t)return t;let n=await e();return mn.set(e,n),n}function gn({load:e,...t}){let[n,r]=L(()=>mn.get(e)??null),[i,a]=L(null);return z(()=>{n||hn(e).then(e=>r(()=>e),a)},[]),i===null?n?q(n,{...t}):q(Dn,{}):q(_n,{error:i})}function _n({error:e}){if(e instanceof Ne)return null;if(e instanceof B){let{problem:t}=e;return q(y,{children:[q(`div`,{class:`error`,role:`alert`,children:t.status===401?q(`p`,{children:G(`aa`)}):q(bn,{problem:t})}),t.column&&q(yn,{column:t.column})]})}return q(`div`,{class:`error`,role:`alert`,children:q(`p`,{children:String(e)})})}function vn({error:e,name:t,children:n}){return q(`section`,{class:`dead-end`,children:[q(`h1`,{class:`visually-hidden`,children:t}),q(_n,{error:e}),q(`p`,{class:`choice`,children:[n,q(`a`,{class:`button`,href:`/`,children:G(`ab`)})]})]})}function yn({column:e}){let{query:t}=U(),n=J(e=>V(`fields`,{},e),[]);if(n.state!==`done`)return null;let{fields:r}=n.value;for(let[n,i]of[[`q`,t.get(`q`)??``],...t]){if(!/^q(\.|$)/.test(n))continue;let t=[...i],[,a=``,o=``,s=``]=/^(-?)(\w+)(:.*)/s.exec(t.slice(e-1).join(``))??[],c=t.slice(0,e-1).join(``)+a;if(!(o===``||/[^\s(-]$/.test(c)||r.some(e=>e.name===o.toLowerCase())))return q(`ul`,{class:`fields known`,"aria-label":G(`bi`),children:r.map(e=>q(`li`,{children:[q(`a`,{href:dt(n,c+e.name+s),children:q(`code`,{children:[e.name,`:`]})}),q(Sn,{field:e}),q(`code`,{class:`example`,children:e.example})]}))})}return null}function bn({problem:e}){let t=J(()=>ln(e),[JSON.stringify(e)]);if(t.state!==`done`)return null;let{text:n,hint:r}=t.value;return q(y,{children:[q(`p`,{children:q(`bdi`,{children:n})}),r!==``&&q(`p`,{class:`hint`,children:q(`bdi`,{children:r})})]})}function xn({text:e,known:t}){let n=J(()=>un(t),[JSON.stringify(t),zt()]);return n.state===`loading`?null:n.state===`done`&&n.value!==null?q(`bdi`,{children:n.value}):q(`bdi`,{lang:`en`,children:e})}function Sn({field:e}){return q(`span`,{children:q(xn,{known:`field.${e.name}`,text:e.asks})})}function Cn({kind:e,label:t}){return q(xn,{known:`feature.${e}`,text:e===`nags`?`symbols such as ! and ?`:t})}function wn({losses:e}){return q(y,{children:[G(`ed`),` `,e.map(({kind:e,label:t,count:n},r)=>q(y,{children:[r>0&&`, `,Vt(n),` `,q(Cn,{kind:e,label:t})]}))]})}function Tn({problem:e}){let t=J(()=>dn(e),[JSON.stringify(e)]);return q(y,{children:t.state===`done`&&t.value})}function En(e){e instanceof B?dn(e.problem).then(e=>Y(e,!0)):e instanceof Ne||Y(String(e),!0)}function Dn({text:e}){let[t,n]=L(!1);return R(()=>{let e=setTimeout(()=>n(!0),300);return()=>clearTimeout(e)},[]),q(`p`,{class:`loading`,role:`status`,children:t&&q(y,{children:[q(`span`,{class:`spinner`,"aria-hidden":`true`}),` `,e??G(`loading`)]})})}function On(e){let{white:t,draws:n,black:r}=e,i=t+n+r;if(i===0)return q(`span`,{class:`none`,children:`–`});let a=[[`w`,t],[`d`,n],[`b`,r]],o=e=>Math.round(e*100/i),s=e.isWide?6:e.isNarrow?32:22,c=e.label??G(`cp`,{white:o(t),draws:o(n),black:o(r)});return q(`span`,{class:`bar`,role:`img`,"aria-label":c,title:c,children:a.map(([t,n])=>n===0?null:q(`span`,{class:`part-${t}`,style:{flexGrow:n},"aria-hidden":`true`,children:n*100/i>=s?`${o(n)}${e.isWide?` %`:``}`:``}))})}function kn(e,t){let n=e=>/[",\r\n]/.test(e)?`"${e.replaceAll(`"`,`""`)}"`:e,r=e=>/^[=+@\t\r]|^-(?![\d.]*$)/.test(e)?`'${e}`:e,i=e.map(e=>e.map(e=>n(r(e))).join(`,`)).join(`\r
`);Xe(new Blob([`﻿`,i,`\r
`],{type:`text/csv`}),`${t}.csv`)}function An(e){let t=e.querySelector(`.bar`)?.getAttribute(`aria-label`),n=e.querySelector(`select`)?.value;return t??n??e.innerText.trim().replace(/\s+/g,` `)}var jn=e=>e.matches(`th[scope=row]`)?`rowheader`:{TABLE:`table`,THEAD:`rowgroup`,TBODY:`rowgroup`,TR:`row`,TH:`columnheader`,TD:`cell`}[e.tagName]??null;function Mn(){let e=[700,1e3,1500],t=()=>e.filter(e=>matchMedia(`(min-width: ${e+1}px)`).matches).length,[n,r]=L(t);return R(()=>{let e=()=>r(t());return addEventListener(`resize`,e),()=>removeEventListener(`resize`,e)},[]),n}function Nn(e){let{label:t,file:n}=e,r=Se(null);z(()=>{for(let e of r.current?.querySelectorAll(`table.reflow, .reflow :is(thead, tbody, tr, th, td)`)??[])e.role??=jn(e)});let i=()=>[...r.current?.querySelectorAll(`tr`)??[]].map(e=>[...e.cells].map(An));return q(y,{children:[q(`div`,{class:`table-box ${e.class??``}`,ref:r,tabIndex:0,role:`region`,"aria-label":t,children:e.children}),n!==void 0&&q(`p`,{class:`table-foot`,children:q(`button`,{type:`button`,class:`link`,"aria-label":G(`ft`,{name:t}),onClick:()=>kn(i(),n),children:G(`fs`)})})]})}function Pn(e){let t=Se(null);return R(()=>{let e=t.current;return e?.showModal(),()=>e?.close()},[]),q(`dialog`,{ref:t,"aria-label":e.title,onClose:e.onClose,onClick:n=>{n.target===t.current&&e.onClose()},children:[q(`header`,{children:[q(`h2`,{children:e.title}),q(`button`,{type:`button`,class:`icon`,"aria-label":G(`close`),onClick:e.onClose,children:`✕`})]}),e.children]})}async function Fn(e){try{await navigator.clipboard.writeText(e),Y(G(`copied`),!0)}catch{In()}}function In(){Y(G(`copyFailed`),!0)}var Ln=0;function Y(e,t=!1){let n=document.getElementById(`live`);n&&(n.textContent=e,n.classList.toggle(`toast`,t),clearTimeout(Ln),t&&(Ln=setTimeout(()=>{n.classList.remove(`toast`),n.textContent=``},1800)))}function Rn(e){let t=e.target;return t.isContentEditable||t.tagName===`TEXTAREA`||t.tagName===`SELECT`||t.tagName===`INPUT`&&t.type!==`checkbox`}var zn=e=>{document.title=e===``?`tabia`:`${e} · tabia`};function Bn(e){let{points:t,min:n,max:r}=e,i=Math.max(1,t[t.length-1]?.x??1),a=e=>e/i*1e3,o=e=>100-(Math.min(r,Math.max(n,e))-n)/(r-n)*100,s=e=>e.map(e=>`${a(e.x).toFixed(1)},${o(e.y).toFixed(1)}`).join(` `),c=s(t),l=e.zero??n,u=`${a(t[0]?.x??0).toFixed(1)},${o(l)} ${c} ${a(i)},${o(l)}`,d=t.find(t=>t.node===e.current),f=[`white`,`black`],p=e=>t.filter(t=>t.x%2==+(e===`white`));return q(`figure`,{class:`graph`,children:[q(`figcaption`,{children:[e.label,d&&!e.hasSides&&q(`b`,{children:[` `,d.text]}),e.hasSides&&f.map(e=>q(`span`,{class:`key ${e}`,children:[q(`svg`,{viewBox:`0 0 26 6`,"aria-hidden":`true`,children:q(`line`,{x2:`26`,y1:`3`,y2:`3`,class:`line`})}),` `,G(e),` `,q(`b`,{children:d&&p(e).filter(e=>e.x<=d.x).pop()?.text})]}))]}),q(`svg`,{viewBox:`0 0 1000 100`,preserveAspectRatio:`none`,"aria-hidden":`true`,onClick:n=>{let r=n.currentTarget.getBoundingClientRect(),a=(n.clientX-r.left)/r.width*i,o=t.reduce((e,t)=>Math.abs(t.x-a)<Math.abs(e.x-a)?t:e);e.onPick(o.node)},children:[!e.hasSides&&q(`polygon`,{points:u,class:`area`}),q(`line`,{x1:`0`,x2:`1000`,y1:o(l),y2:o(l),class:`axis`}),e.hasSides?f.map(e=>q(`polyline`,{points:s(p(e)),class:`line ${e}`})):q(`polyline`,{points:c,class:`line`}),d&&q(`line`,{x1:a(d.x),x2:a(d.x),y1:`0`,y2:`100`,class:`now`})]}),q(`details`,{children:[q(`summary`,{children:G(`co`)}),q(`ol`,{class:`values`,children:t.map(e=>q(`li`,{children:[e.name,` `,e.text]}))})]})]})}var X=[],Vn=new Set,Hn=null,Un=null,Wn=new Map;function Z(e){for(let t of e)(X.find(e=>e.id===t.id)?.state===`running`||t.id===Un)&&t.state!==`running`&&(Hn={id:t.id,view:Zn(tt().path)},Un=null,ir(t).then(e=>Y(`${rr(t)}: ${e}`))),t.kind===`index`&&t.state===`done`&&Wn.set(t.id,t.inputs[0]??``);let t=JSON.stringify(e)===JSON.stringify(X);if(X=e,!t)for(let e of Vn)e();clearTimeout(Kn),X.length>0&&(Kn=setTimeout(qn,Gn))}var Gn=2e3,Kn=0;function qn(){er||document.hidden?Kn=setTimeout(qn,Gn):Qn()}var Jn=e=>Z([...X.filter(t=>t.id!==e.id),e].sort((e,t)=>e.id-t.id)),Yn=()=>X.some(e=>e.state===`running`);function Xn(){let[e,t]=L(X);return R(()=>{let e=()=>t(X);return Vn.add(e),e(),()=>{Vn.delete(e)}},[]),e}var Zn=e=>e.slice(0,2).join(`/`);async function Qn(){try{Z((await V(`jobs`)).jobs)}catch(e){e instanceof B&&e.problem.status===401?Z([]):Kn=setTimeout(qn,Gn)}tr()}async function $n(e,t,n){let r=await Je(e,t,n);return Un=r.id,Jn(r),tr(),r}var er=!1;async function tr(){if(!er){for(er=!0;Yn();)try{await Ze(`events`,(e,t)=>(e===`jobs`?Z(t.jobs):e===`job`?Jn(t):e===`forgotten`&&Z(X.filter(e=>e.id!==t.id)),Yn()))}catch{await new Promise(e=>setTimeout(e,1e3)),await Qn()}er=!1}}async function nr(e){try{let t=await Je(`DELETE`,`jobs/${e.id}`);t.state===`running`?Jn(t):Z(X.filter(t=>t.id!==e.id))}catch{Z(X.filter(t=>t.id!==e.id))}}function rr(e){return e.kind===`index`?G(`eV`,{name:e.inputs.join(`, `)}):G(`fh`,{name:e.name??``})}var ir=async e=>e.state===`failed`&&e.error?dn(e.error):ar(e);function ar(e){switch(e.state){case`done`:return G(`eW`);case`cancelled`:return G(`eX`);case`failed`:return e.error?.detail??``;default:return K(e.unit===`games`?`eP`:e.unit===`positions`?`eR`:`eS`,e.done)}}function or(){let e=Xn(),t=Zn(U().path),[n,r]=L(!1);if(e.length===0)return null;let i=e=>e.state===`running`||e.id===Hn?.id&&Hn.view===t,a=e.filter(e=>!i(e));return q(`section`,{class:`jobs`,"aria-label":G(`eU`),children:[a.length<e.length&&q(`ul`,{children:e.filter(i).map(e=>q(sr,{job:e},e.id))}),a.length>0&&q(`div`,{class:`finished`,children:[q(`details`,{open:n,onToggle:e=>r(e.currentTarget.open),children:[q(`summary`,{children:K(`hy`,a.length)}),q(`ul`,{children:a.map(e=>q(sr,{job:e},e.id))})]}),q(`button`,{type:`button`,class:`icon`,"aria-label":G(`hz`),title:G(`hz`),onClick:()=>void Promise.all(a.map(nr)),children:`✕`})]})]})}function sr({job:e}){return q(`li`,{class:e.state,children:[q(`bdi`,{class:`name`,children:rr(e)}),e.state===`running`&&q(`progress`,{"aria-label":rr(e),...e.share===null?{}:{value:e.share},max:1}),q(`span`,{class:`sub`,children:[q(`bdi`,{children:e.state===`failed`&&e.error?q(Tn,{problem:e.error}):ar(e)}),e.state===`running`&&e.etaSeconds!==null&&` · ${K(`eT`,e.etaSeconds)}`]}),e.result&&q(cr,{job:e}),q(`span`,{class:`grow`}),q(`button`,{type:`button`,"aria-label":G(e.state===`running`?`eZ`:`fa`,{name:rr(e)}),onClick:()=>void nr(e),children:e.state===`running`?G(`eY`):`✕`})]})}function cr({job:e}){let{inputs:t=[],files:n=[],losses:r=[]}=e.result??{},i=t=>e.kind===`book`?xt(t):pt([t]),a=n.map((t,n)=>q(`button`,{type:`button`,class:`link`,onClick:()=>void Ye(`jobs/${e.id}/files/${n}`,t.name).catch(En),children:[G(`fj`,{name:t.name}),t.bytes!==null&&` (${Wt(t.bytes)})`]}));return q(y,{children:[t.map(e=>q(`a`,{href:i(e),children:G(`fi`,{name:e})})),n.length===1&&a,n.length>1&&q(`details`,{children:[q(`summary`,{children:G(`fj`,{name:e.name??``})}),a]}),r.length>0&&q(`span`,{class:`warn`,children:q(wn,{losses:r})})]})}function lr(e){return Xn(),[...Wn.values()].filter(t=>e.includes(t)).length}var[ur,dr]=[105,1e-5],fr=5;function pr({id:e,games:t}){let n=Xn().some(t=>t.kind===`index`&&t.state===`running`&&t.inputs[0]===e),r=(t??0)*dr,i=Wt((t??0)*ur),a=r>0?G(`fd`,{bytes:i,seconds:Gt(r)}):void 0;return q(y,{children:[q(`button`,{type:`button`,class:`link`,disabled:n,title:a,"aria-label":G(`fc`,{name:e}),onClick:()=>void $n(`POST`,`jobs`,{kind:`index`,db:e}).catch(En),children:G(`fb`)}),r>=fr&&q(`span`,{class:`sub`,children:[` `,`(`,a,`)`]})]})}var mr=`tabia.settings`,hr=[`en`,`de`,`ru`,`fr`,`es`],gr=[`classic`,`angular`,`contrast`],_r=[`brown`,`green`,`blue`,`grey`,`contrast`],vr={theme:`system`,language:hr.find(e=>navigator.language.startsWith(e))??`en`,colors:`brown`,pieces:`figurines`,set:`classic`,arrows:!0,singleKeys:!0};function yr(){try{return{...vr,...JSON.parse(localStorage.getItem(mr)??`{}`)}}catch{return vr}}var Q=yr(),br=new Set,xr=()=>Q;function Sr(e){Q={...Q,...e},localStorage.setItem(mr,JSON.stringify(Q)),Cr();for(let e of br)e()}function Cr(){let e=document.documentElement;Q.theme===`system`?delete e.dataset.theme:e.dataset.theme=Q.theme,e.dataset.colors=_r.includes(Q.colors)?Q.colors:`brown`}function wr(){let[e,t]=L(Q);return R(()=>{let e=()=>t(Q);return br.add(e),()=>{br.delete(e)}},[]),e}var Tr=`http://www.w3.org/2000/svg`,Er;async function Dr(){let e=await fetch(new URL(`/assets/pieces-D7klHJh6.svg`,``+import.meta.url));return new DOMParser().parseFromString(await e.text(),`image/svg+xml`)}async function Or(e){let t;try{t=await(Er??=Dr())}catch{Er=void 0,setTimeout(()=>void Or(e),1e3);return}if(e===xr().set){document.documentElement.dataset.set=e;for(let n of document.querySelectorAll(`.sprite path`)){let r=t.querySelectorAll(`#${e===`classic`?e:`angular`}-${n.parentElement?.id.slice(-1)} path`);n.setAttribute(`d`,r[+!!n.matches(`.lines`)]?.getAttribute(`d`)??``)}}}function kr(){let e=document.createElementNS(Tr,`svg`);e.setAttribute(`class`,`sprite`),e.setAttribute(`aria-hidden`,`true`);for(let t of`PRBNQK`)for(let n of`wb`){let r=document.createElementNS(Tr,`symbol`);r.id=`piece-${n}${t}`,r.setAttribute(`viewBox`,`0 0 45 45`);for(let e of[`halo`,`body`,`lines`]){let t=document.createElementNS(Tr,`path`);t.setAttribute(`class`,`${e} ${n}`),r.append(t)}e.append(r)}document.body.append(e)}function Ar(e){let t=document.createElementNS(Tr,`svg`);t.setAttribute(`class`,`piece`),t.setAttribute(`viewBox`,`0 0 45 45`),t.setAttribute(`aria-hidden`,`true`);let n=document.createElementNS(Tr,`use`);return n.setAttribute(`href`,`#piece-${e<`a`?`w`:`b`}${e.toUpperCase()}`),t.append(n),t}var jr=`tabia.queries`;function Mr(){return(localStorage.getItem(jr)??``).split(`
`).filter(e=>e!==``)}function Nr(e){if(e===``)return;let t=Mr().filter(t=>t!==e);localStorage.setItem(jr,[e,...t].slice(0,Pr).join(`
`))}var Pr=8;function Fr(e,t){let n=t=>/[\s()]/.test(e[t]??` `),r=0,i=!1;for(let a=0;a<t;a++)e[a]===`"`&&e[a-1]!==`\\`?i=!i:!i&&n(a)&&(r=a+1);let a=t;for(;a<e.length&&(i||!n(a));a++)e[a]===`"`&&e[a-1]!==`\\`&&(i=!i);let o=/^(-?)(?:([a-z0-9]+):)?(.*)$/is.exec(e.slice(r,t)),s=(o?.[3]??``).replace(/^"?=?/,``).replace(/\\(["\\])/g,`$1`);return{from:r,to:a,sign:o?.[1]??``,field:(o?.[2]??``).toLowerCase(),value:s}}var Ir=e=>`"=${e.replace(/[\\"]/g,`\\$&`)}"`;async function Lr(e,t,n,r,i){let a=async(t,n)=>(await V(`suggest`,{db:await r(),field:t,q:e.value},i)).names.slice(0,n).map(n=>({text:n.name,about:K(`eP`,n.games),inserted:`${e.sign}${t}:${Ir(n.name)} `,isField:!1}));if(e.field!==``){let t=n.find(t=>t.name===e.field);return t?.hasNames?a(t.name,20):[]}if(e.value===``)return t?Mr().map(e=>({text:e,about:G(`fU`),inserted:e,isField:!1})):[];let o=e.value.toLowerCase(),s=n.filter(e=>e.name.startsWith(o)).slice(0,Pr),c=e.value.length>1?await a(`player`,Pr):[];return[...s.map(t=>({text:`${t.name}:`,about:t,inserted:`${e.sign}${t.name}:`,isField:!0})),...c]}async function Rr(){let{inputs:e}=await V(`shelf`),t=e.filter(({kind:e,error:t})=>e===`database`&&!t),n=await Promise.all(t.map(async({id:e,open:t})=>t||V(`db/${encodeURIComponent(e)}`).then(()=>!0,e=>!(e instanceof B))));return t.filter((e,t)=>n[t]).map(({id:e})=>e).join(`,`)}function zr(e){document.getElementById(`search`)?.setAttribute(`aria-invalid`,String(e))}function Br(){let{path:e,query:t}=U(),n=e[0]===`games`,r=n?t.get(`db`)??``:``,i=n?t.get(`q`)??``:``;return q(Vr,{db:r,where:i,sort:n?t.get(`sort`)??``:``,deleted:n&&t.get(`deleted`)===`1`},`${r}\n${i}`)}function Vr(e){let{where:t,sort:n,deleted:r}=e,[i,a]=L(t),[o,s]=L([]),[c,l]=L(!1),[u,d]=L([]),[f,p]=L(-1),[m,h]=L(null),g=Se(null),_=Se(null),v=Se(null),y=()=>e.db===``?(v.current??=Rr(),v.current.catch(()=>v.current=null),v.current):Promise.resolve(e.db),b=()=>{h(null),d([]),p(-1)},x=()=>{o.length>0||V(`fields`).then(e=>s(e.fields),()=>l(!1))};R(()=>{if(m===null)return;let e=new AbortController,t=setTimeout(()=>{Lr(Fr(m.text,m.cursor),m.text.trim()===``,o,y,e.signal).then(t=>{e.signal.aborted||(d(t),p(-1),t.length>0&&Y(K(`bk`,t.length)))},()=>{e.signal.aborted||d([])})},80);return()=>{clearTimeout(t),e.abort()}},[m,o]),z(()=>{_.current!==null&&(g.current?.setSelectionRange(_.current,_.current),_.current=null)},[i]),R(()=>{f>=0&&document.getElementById(`suggestion-${f}`)?.scrollIntoView({block:`nearest`})},[f]);let S=e=>{let t=Fr(i,g.current?.selectionStart??i.length),n=i.slice(t.to).replace(/^ /,e.isField?` `:``),r=`${i.slice(0,t.from)}${e.inserted}${n}`;_.current=t.from+e.inserted.length,a(r),b(),e.isField&&h({text:r,cursor:_.current})},C=e=>{let t=u.length;if(e.key===`Escape`)t>0?b():g.current?.blur();else if(t>0&&(e.key===`ArrowDown`||e.key===`ArrowUp`)){let n=e.key===`ArrowDown`?1:-1;p(e=>(e+1+n+t+1)%(t+1)-1)}else if(e.key===`ArrowDown`&&t===0)h({text:i,cursor:g.current?.selectionStart??i.length});else if(e.key===`Enter`&&u[f])S(u[f]);else return;e.preventDefault()},w=u.length>0;return q(`form`,{class:`search`,role:`search`,onSubmit:e=>{e.preventDefault(),b(),Nr(i.trim()),y().then(e=>at(St([e],i.trim(),n,r)),En)},children:[q(`input`,{ref:g,id:`search`,type:`text`,role:`combobox`,inputMode:`search`,value:i,placeholder:G(`bf`),"aria-label":G(`search`),"aria-autocomplete":`list`,"aria-expanded":w,"aria-controls":`suggestions`,"aria-activedescendant":f>=0?`suggestion-${f}`:void 0,autoComplete:`off`,spellcheck:!1,onFocus:x,onBlur:b,onInput:e=>{a(e.currentTarget.value),h({text:e.currentTarget.value,cursor:e.currentTarget.selectionStart??0})},onKeyDown:C}),q(`button`,{type:`submit`,children:G(`bg`)}),t!==``&&q(`a`,{class:`button`,href:St([e.db],``,n,r),"aria-label":G(`bh`),children:`✕`}),q(`button`,{type:`button`,"aria-expanded":c,onClick:()=>{l(!c),x()},"aria-label":G(`bi`),children:`…`}),q(`ul`,{id:`suggestions`,class:`fields suggestions`,role:`listbox`,"aria-label":G(`bj`),hidden:!w,children:u.map((e,t)=>q(`li`,{id:`suggestion-${t}`,role:`option`,"aria-selected":t===f,onMouseDown:e=>e.preventDefault(),onClick:()=>S(e),children:[e.isField?q(`code`,{children:e.text}):q(`bdi`,{children:e.text}),q(`span`,{class:`sub`,children:typeof e.about==`string`?e.about:q(Sn,{field:e.about})})]}))}),c&&!w&&q(`ul`,{class:`fields`,children:o.map(e=>q(`li`,{children:[q(`button`,{type:`button`,onClick:()=>{a(`${i.trim()} ${e.name}:`.trim()),l(!1),g.current?.focus()},children:q(`code`,{children:[e.name,`:`]})}),q(Sn,{field:e}),q(`code`,{class:`example`,children:e.example})]}))})]})}var Hr=200,Ur=`tabia.inputs`;function Wr(){try{return JSON.parse(localStorage.getItem(Ur)??`{}`)??{}}catch{return{}}}function Gr(e,t){let{[e]:n,...r}=Wr(),i=[[e,{...n,...t}],...Object.entries(r)];localStorage.setItem(Ur,JSON.stringify(Object.fromEntries(i.slice(0,Hr))))}var Kr=2e3,qr=new Set,Jr=()=>void 0;function Yr(e){z(()=>(qr.add(e),Jr(),()=>{qr.delete(e)}),[e.join()])}function Xr({onChange:e}){let[t,n]=L({view:``,inputs:[]});return U(),R(()=>{let t=new Map,r=``,i=async()=>{let i=[...new Set([...qr].flat())].filter(e=>e!==``);if(r!==location.pathname&&t.clear(),r=location.pathname,document.hidden)return;let{inputs:a}=i.length>0?await V(`state`,{db:i.join()},void 0,`no-store`):{inputs:[]};n({view:r,inputs:a.filter(e=>e.problem&&t.has(e.id))});for(let e of t.keys())i.includes(e)||t.delete(e);let o=[];for(let{id:e,name:n,fingerprint:r,problem:i}of a)i||((t.get(e)??r)!==r&&o.push(n),t.set(e,r));o.length>0&&e(o.join(`, `))},a=0,o=()=>{clearTimeout(a),a=setTimeout(s,Kr)},s=()=>void i().then(o,e=>{e instanceof B?Jr=()=>void 0:o()});return Jr=()=>{clearTimeout(a),a=setTimeout(s)},Jr(),()=>clearTimeout(a)},[]),q(y,{children:(t.view===location.pathname?t.inputs:[]).map(e=>q(`p`,{class:`gone`,role:`alert`,children:[G(`goneInput`),` `,q(Tn,{problem:e.problem})]},e.id))})}var Zr=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),Qr=function(e){return`/`+e},$r={},ei=function(e){return e.pathname.endsWith(`.css`)},ti=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},$=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=Qr(t,n);let r=s(t),i=ei(r);return ti($r,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:Zr,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},ni={"":async()=>(await $(async()=>{let{ShelfView:e}=await import(`./shelf-Bk1RuadQ.js`).then(e=>e.t);return{ShelfView:e}},[])).ShelfView,games:async()=>(await $(async()=>{let{View:e}=await import(`./games-DLElxHfo.js`);return{View:e}},[])).View,db:async()=>(await $(async()=>{let{View:e}=await import(`./game-Br7kCABP.js`).then(e=>e.t);return{View:e}},[])).View,explorer:async()=>(await $(async()=>{let{View:e}=await import(`./book-C1UolBzX.js`).then(e=>e.t);return{View:e}},[])).View,health:async()=>(await $(async()=>{let{Check:e}=await import(`./desk-Diir_Kqz.js`);return{Check:e}},[])).Check,player:async()=>(await $(async()=>{let{View:e}=await import(`./search-CbigOcL1.js`).then(e=>e.n);return{View:e}},[])).View,search:async()=>(await $(async()=>{let{View:e}=await import(`./search-CbigOcL1.js`).then(e=>e.t);return{View:e}},[])).View,duplicates:async()=>(await $(async()=>{let{Duplicates:e}=await import(`./desk-Diir_Kqz.js`);return{Duplicates:e}},[])).Duplicates,convert:async()=>(await $(async()=>{let{Convert:e}=await import(`./desk-Diir_Kqz.js`);return{Convert:e}},[])).Convert,book:async()=>(await $(async()=>{let{View:e}=await import(`./book-C1UolBzX.js`).then(e=>e.n);return{View:e}},[])).View},ri={help:async()=>(await $(async()=>{let{Help:e}=await import(`./shelf-Bk1RuadQ.js`).then(e=>e.n);return{Help:e}},[])).Help,settings:async()=>(await $(async()=>{let{SettingsDialog:e}=await import(`./shelf-Bk1RuadQ.js`).then(e=>e.n);return{SettingsDialog:e}},[])).SettingsDialog};function ii(){let e=matchMedia(`(prefers-color-scheme: dark)`).matches;Sr({theme:xr().theme===`dark`||xr().theme===`system`&&e?`light`:`dark`})}function ai(){let{path:e,query:t}=U(),n=e[0]===`db`||e[0]===`book`?e[1]:t.get(`db`)??t.get(`src`);R(()=>{for(let e of(n??``).split(`,`))e!==``&&Gr(e,{opened:Date.now()})},[n]),Yr((n??``).split(`,`));let[r=``]=e;if(!n&&r in si)return q(ci,{name:r});let i=ni[r];return i?q(gn,{load:i},r):q(oi,{})}function oi(){return zn(G(`notFound`)),q(`div`,{class:`empty`,children:[q(`h1`,{children:G(`notFound`)}),q(`p`,{children:q(`bdi`,{children:q(`code`,{children:`/${U().path.join(`/`)}`})})}),q(`p`,{children:G(`notFound.hint`)}),q(`a`,{class:`button`,href:`/`,children:G(`ab`)})]})}var si={games:e=>pt([e]),db:e=>pt([e]),health:gt,book:e=>xt(e)};function ci({name:e}){let t=J(e=>V(`shelf`,{},e),[]);if(t.state===`error`)return q(_n,{error:t.error});if(t.state===`loading`)return q(Dn,{});let n=si[e];return q(`section`,{class:`report`,children:[q(`h1`,{children:G(`da`)}),q(`ul`,{children:t.value.inputs.filter(({kind:t,error:n})=>!n&&(e!==`book`&&t===`database`||/book|health/.test(e)&&t===`book`)).map(({id:e})=>q(`li`,{children:q(`a`,{href:n(e),children:q(`bdi`,{children:e})})}))})]})}function li(){let e=wr(),[t,n]=L(``),[r,i]=L(null),[a,o]=L(!1),[s,c]=L(0);return R(()=>Re(o),[]),R(()=>void Qn(),[]),R(()=>void Or(e.set),[e.set]),R(()=>{Rt(e.language).then(()=>n(e.language),()=>n(`en`))},[e.language]),R(()=>{let e=e=>{Rn(e)||e.ctrlKey||e.metaKey||e.altKey||xr().singleKeys&&!document.querySelector(`dialog[open]`)&&(e.key===`?`?i(`help`):e.key===`d`?ii():e.key===`a`?Sr({arrows:!xr().arrows}):e.key===`/`&&(document.getElementById(`search`)?.focus(),e.preventDefault()))};return addEventListener(`keydown`,e),()=>removeEventListener(`keydown`,e)},[]),t===``?null:q(`div`,{class:`app`,onClick:ft,children:[q(`a`,{class:`skip`,href:`#main`,children:G(`skip`)}),q(`header`,{class:`top`,children:[q(`a`,{href:`/`,class:`brand`,children:[q(`svg`,{viewBox:`0 0 20 20`,"aria-hidden":`true`,children:q(`path`,{d:`M0 0h10v10H0zM10 10h10v10H10z`})}),`tabia`]}),q(`nav`,{"aria-label":G(`nav`),children:[q(`a`,{href:`/`,children:G(`ab`)}),q(`a`,{href:`/explorer`,children:G(`aG`)}),q(`a`,{href:`/player/`,children:G(`dk`)}),q(`a`,{href:`/search`,children:G(`cZ`)})]}),q(Br,{}),q(`span`,{class:`buttons`,children:[q(`button`,{type:`button`,class:`icon`,"aria-label":G(`theme.switch`),title:G(`theme.switch`),onClick:ii,children:q(`svg`,{viewBox:`0 0 16 16`,"aria-hidden":`true`,children:q(`path`,{d:`M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 1.5v11a5.5 5.5 0 0 0 0-11z`,"fill-rule":`evenodd`})})}),q(`button`,{type:`button`,class:`icon`,"aria-label":G(`settings`),title:G(`settings`),onClick:()=>i(`settings`),children:`⚙`}),q(`button`,{type:`button`,class:`icon`,"aria-label":G(`help`),title:G(`help`),onClick:()=>i(`help`),children:`?`})]})]}),a&&q(`p`,{class:`gone`,role:`alert`,children:G(`gone`)}),q(Xr,{onChange:e=>{/^\/(games|db|explorer|book)\b/.test(location.pathname)&&(Y(G(`changed`,{name:e}),!0),c(e=>e+1))}}),q(or,{}),q(`main`,{id:`main`,tabIndex:-1,children:q(ai,{})},`${t} ${s}`),q(`div`,{id:`live`,role:`status`,"aria-live":`polite`}),r&&q(gn,{load:ri[r],onClose:()=>i(null)},r)]})}Fe(),Cr(),kr();var ui=document.getElementById(`app`);ui&&N(q(li,{}),ui),setTimeout(()=>{for(let e of[...Object.values(ni),...Object.values(ri)])hn(e).catch(()=>void 0)},1500);var di=e=>/^-|[^\w./-]/.test(e)?`'${e.replaceAll(`'`,`'\\''`)}'`:e,fi=e=>e.replace(/^.*[/\\]|(\.\w+)+$/g,``);function pi(e,t){let n=t.find(t=>t.id===e);return n?n.container===null?et(n)??n.name:`${pi(n.container,t)}:${n.name}`:e}var mi=(e,t)=>e.map(e=>di(pi(e,t)));function hi(e,t){V(`shelf`).then(({inputs:n})=>Fn(t(mi(e,n))),In)}function gi({ids:e,make:t}){let n=J(e=>V(`shelf`,{},e),[]);if(n.state!==`done`)return null;let r=t(mi(e,n.value.inputs));return q(`p`,{class:`command`,children:[q(`code`,{children:r}),` `,q(`button`,{type:`button`,onClick:()=>void Fn(r),children:G(`dc`)})]})}export{Yt as $,xn as A,Je as At,J as B,_n as C,V as Ct,wn as D,Ge as Dt,gn as E,et as Et,Fn as F,L as Ft,Wt as G,q as H,In as I,Ce as It,zt as J,Xt as K,Rn as L,y as Lt,Nn as M,z as Mt,Y as N,Se as Nt,Tn as O,qe as Ot,En as P,we as Pt,en as Q,kn as R,Pn as S,Ne as St,Bn as T,$e as Tt,un as U,Mn as V,dn as W,Vt as X,Qt as Y,qt as Z,pr as _,vt as _t,$ as a,K as at,On as b,U as bt,Wr as c,bt as ct,_r as d,mt as dt,Kt as et,hr as f,pt as ft,wr as g,_t as gt,xr as h,St as ht,fi as i,Gt as it,Dn as j,R as jt,bn as k,Xe as kt,zr as l,yt as lt,Sr as m,gt as mt,hi as n,$t as nt,Yr as o,xt as ot,gr as p,at as pt,Jt as q,di as r,G as rt,Gr as s,lt as st,gi as t,Ut as tt,Ar as u,ht as ut,$n as v,ut as vt,Cn as w,Qe as wt,vn as x,B as xt,lr as y,st as yt,zn as z};