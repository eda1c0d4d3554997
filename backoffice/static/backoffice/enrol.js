// The code stands behind the # of the link, which browsers send to nobody: into the form with it, out of the address.
"use strict";
const code = document.getElementById("id_code");
if (location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  (document.getElementById("id_password") || document.querySelector("main button")).focus();
}
