// What another page loads to show demos, at an address that does not change:
//
//	<script type="module" src="https://example.org/embed.js"></script>
//	<kubewalk-demo src="replicaset-scale" start="scaled" theme="dark" clicker></kubewalk-demo>
//
// Each element is a frame of /embed/DEMO/ (element.ts).

import { KubewalkDemo } from "./element";

if (!customElements.get("kubewalk-demo")) customElements.define("kubewalk-demo", KubewalkDemo);
