// What every page with a demo loads.

import "./scene.css";
import "./player.css";
import "./controls.css";
import "./reader.css";
import "./log.css";
import "./inspector.css";
import "./legend.css";
import "./alone.css";
import { keepTarget } from "./anchor";
import { KubewalkDemo } from "./element";

customElements.define("kubewalk-demo", KubewalkDemo);
keepTarget();
if (document.querySelector("[data-exercises]")) void import("./progress");
