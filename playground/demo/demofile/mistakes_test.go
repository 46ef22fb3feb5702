package demofile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/session"
)

// good is a file without a mistake. Each test changes one line of it, or adds some.
const good = `title: {en: Scale, ja: スケール}
seed: 7
cluster:
  nodes: 2
setup: 10s
end: 20s
manifests:
  web:
    apiVersion: apps/v1
    kind: ReplicaSet
    metadata: {name: web}
    spec:
      replicas: 1
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: web, image: nginx}]}
steps:
  - {id: apply, at: 1s, apply: web}
  - {id: up, at: +5s, scale: {replicaset: web, replicas: 2}}
claims:
  - after: up
    within: 10s
    objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}
    count: 2
marks:
  - id: too-few
    after: up
    when: {op: log, attrs: {message: Too few replicas}}
    caption: {en: Too few, ja: 足りない}
controls:
  - scale: {replicaset: web, min: 0, max: 9}
`

// faults are the rest of what a step can do.
const faults = ", crash-container, use-memory, use-cpu, registry-down, registry-up, lose-image, restore-image, fill-memory, fill-disk, slow-kubelet, terminate-instance, partition, slow, fail, heal, load, set-metric, request, api-request, type, own, reconfigure"

// offered is what a control can offer.
const offered = "kubectl, scale, delete, kill-node, start-node, drop-watch, stop, start, crash-container, use-memory, registry-down, registry-up, lose-image, restore-image, fill-memory, fill-disk, slow-kubelet, terminate-instance, partition, slow, fail, heal, load, set-metric, request, profiles"

// mistakes are made in the file above, each with every problem that is reported.
var mistakes = []struct {
	name     string
	old, new string // what is changed in the file; "" for old adds new at the end
	want     string
}{
	// The form.
	{"unknown key", "setup: 10s", "setpu: 10s",
		`5:1: unknown key "setpu" of a demo (did you mean "setup"?)`},
	{"unknown key inside", "id: up,", "idd: up, id: up,",
		`20:6: unknown key "idd" of a step (did you mean "id"?)`},
	{"two unknown keys at once", "seed: 7\n", "sede: 7\nnonsense: 1\n",
		"2:1: unknown key \"sede\" of a demo (did you mean \"seed\"?)\n3:1: unknown key \"nonsense\" of a demo (known: claims, cluster, controls, end, exercises, focus, manifests, marks, seed, setup, steps, title, …)"},
	{"a list that is none", "steps:\n", "steps: {}\nclaims2:\n",
		`18:8: steps has to be a list, and is keys and values (write it as - {id: up, at: 15s, scale: {replicaset: web, replicas: 8}})` + "\n" +
			`19:1: unknown key "claims2" of a demo (did you mean "claims"?)`},
	{"a mapping that is none", "title: {en: Scale, ja: スケール}", "title: Scale",
		`1:8: the title has to be keys and values, and is the text "Scale" (write it as {en: Scale up, ja: スケールアップ})`},
	{"a seed that is no number", "seed: 7", "seed: seven",
		`2:7: seed has to be a whole number from 0 to 18446744073709551615, and is the text "seven"`},
	{"a negative seed", "seed: 7", "seed: -7",
		`2:7: seed has to be a whole number from 0 to 18446744073709551615, and is the number -7`},
	{"a text that is none", "id: too-few", "id: [too-few]",
		`27:9: id has to be text, and is a list (write it without brackets: too-few)`},
	{"true that is none", "    count: 2", "    count: 2\n    stays: yes",
		`26:12: stays has to be true or false, and is the text "yes" (write true)`},
	{"a file of one text", good, "hello",
		`1:1: a demo has to be keys and values, and is the text "hello" (write it as title: {en: Scale up}, steps: […])`},
	{"an empty file", good, "# nothing yet\n",
		`1:1: the file is empty: a demo has a title and steps (kubewalk new demo demo writes one that works)`},
	{"two documents", "", "---\na: 1\n",
		`34:1: a second YAML document begins here (remove the line --- before it: the file contains one document)`},

	// YAML.
	{"a tab", "  nodes: 2", "\tnodes: 2",
		`4:1: this line is indented with a tab (indent with spaces: YAML allows no tabs there)`},
	{"a tab further down", "      replicas: 1", "\t  replicas: 1",
		`13:1: this line is indented with a tab (indent with spaces: YAML allows no tabs there)`},
	{"a tab behind spaces", "    within: 10s", "  \twithin: 10s",
		`23:3: this line is indented with a tab (indent with spaces: YAML allows no tabs there)`},
	{"an open brace", "metadata: {name: web}", "metadata: {name: web",
		`11:15: { is not closed (close the {)`},
	{"a key twice", "end: 20s", "end: 20s\nend: 21s",
		`7:1: key "end" is given twice (keep one of them)`},
	{"a comparison without quotes", "count: 2", "count: >= 2",
		`25:12: ">" or "|" at the beginning of a text makes it one of several lines (put a comparison in quotes, ">= 3")`},
	{"a comparison without an order", "fields: {status.phase: Running}", "fields: {status.phase: '>= Running'}",
		`24:71: >= of status.phase needs a number, a quantity (500m, 1Gi) or a time (5s, 2026-01-01T00:00:05Z), not "Running"`},
	{"a comparison of an event without an order", "attrs: {message: Too few replicas}", "attrs: {need: '> many'}",
		`29:35: > of need needs a number, a quantity (500m, 1Gi) or a time (5s, 2026-01-01T00:00:05Z), not "many"`},
	{"a colon in a text", "{en: Too few, ja: 足りない}", "\n      en: Too: few",
		`31:11: a second value begins within this one (a colon followed by a space begins a value: put a text that contains one in quotes)`},
	{"a key that is not deep enough", "  nodes: 2\n", "  nodes: 2\n network: true\n",
		`5:2: this line is indented by 1, which matches no line above it (begin it in column 1 or 3)`},
	{"a key that is too deep", "  nodes: 2\n", "  nodes: 2\n    network: true\n",
		`5:5: this line is indented deeper than the one above, which has a value already, so it belongs to nothing (begin it in column 3)`},
	{"a key where the dashes are", "    within: 10s\n", "  within: 10s\n",
		`23:3: this line begins in the column of the list's dashes but has no dash (begin it in column 5, below the keys of the element above; or with - for another element)`},
	{"no space behind a colon", "setup: 10s", "setup:10s",
		`5:1: there is no space after the colon of "setup" (write setup: 10s)`},
	{"an alias of nothing", "  nodes: 2", "  nodes: *tow",
		`4:10: alias *tow is not defined (there are none yet)`},

	// Languages.
	{"a caption without a language", "{en: Too few, ja: 足りない}", "{en: Too few}",
		`30:5: the caption of mark "too-few" is missing in language "ja" (add ja: … to caption)`},
	{"a comma in a text", "{en: Too few, ja: 足りない}", "{en: Too few, by two, ja: 足りない}",
		`30:28: "by two" is taken for a language (a comma ends a text between { and }: put the text in quotes)`},
	{"a caption in a language too many", "ja: 足りない}", "ja: 足りない, fr: Pas assez}",
		`30:38: the book has no language "fr": it has en, ja (remove the line, or add the language to site.yaml)`},
	{"no caption", "    caption: {en: Too few, ja: 足りない}\n", "",
		`27:5: the caption of mark "too-few" is missing (write it as caption: {en: …, ja: …})`},
	{"no title", "title: {en: Scale, ja: スケール}\n", "",
		`1:1: the title is missing (write it as title: {en: …, ja: …})`},

	// Controllers and images.
	{"a controller's name", "  nodes: 2", "  nodes: 2\n  controllers: [deployments-controller]",
		`5:17: unknown controller "deployments-controller" (did you mean "deployment-controller"?)`},
	{"an image of ours that is not there", "image: nginx", "image: kubewalk.dev/ap",
		`17:48: there is no image "kubewalk.dev/ap" (did you mean "kubewalk.dev/app"?)`},
	{"an image of ours that is preloaded", "  nodes: 2", "  hollowNodes: {count: 10}\n  preload: {deployments: 2, replicas: 3, image: kubewalk.dev/ap}",
		`5:49: there is no image "kubewalk.dev/ap" (did you mean "kubewalk.dev/app"?)`},
	{"an image of ours in a command", "scale: {replicaset: web, replicas: 2}", "kubectl: set image rs/web web=kubewalk.dev/slient",
		`20:32: there is no image "kubewalk.dev/slient" (did you mean "kubewalk.dev/silent"?)`},
	{"a flag of ours that is not there", "image: nginx", "image: kubewalk.dev/app, args: [--port=80, --latencey=3ms]",
		`17:84: kubewalk.dev/app has no flag "--latencey" (did you mean "--latency"?)`},
	{"a flag of ours with a wrong value", "image: nginx", "image: kubewalk.dev/app:v2, args: [--latency=fast]",
		`17:76: invalid value "fast" for flag --latency: write 500ms, 12s or 1m30s`},
	{"an image that the demo defines", "  nodes: 2", "  nodes: 2\n  images:\n    shop:v2: {crash-aftr: 5s, memory: much}",
		"6:15: kubewalk.dev/app has no flag \"--crash-aftr\" (did you mean \"--crash-after\"?)\n" +
			`6:31: invalid value "much" for flag --memory: write a quantity: 250m, 64Mi`},
	{"an image that is never asked", "  nodes: 2", "  nodes: 2\n  images:\n    shop:v2: {ready-after: 24h}",
		`6:15: nobody asks image "shop:v2" whether it is ready (add readinessProbe: {httpGet: {port: 80}} to a container)`},
	{"an image that we define", "  nodes: 2", "  nodes: 2\n  images: {kubewalk.dev/app: {}}",
		`5:12: image "kubewalk.dev/app" has a meaning already: give yours another name, as in shop:v2`},

	// Times.
	{"no duration", "setup: 10s", "setup: 10",
		`5:8: setup "10" is not a duration: write 500ms, 12s or 1m30s`},
	{"a negative duration", "setup: 10s", "setup: -10s",
		`5:8: setup -10s is negative (write 0 or more)`},
	{"an endless demo", "end: 20s", "end: 9999h",
		`6:6: end 9999h is longer than a day (write 24h or less)`},
	{"a step with a wrong time", "at: +5s", "at: +5 s",
		`20:18: at "5 s" is not a duration: write 500ms, 12s or 1m30s`},
	{"a step out of order", "at: +5s", "at: 500ms",
		`20:18: step at 500ms comes after one at 1s: put the steps in order of time`},
	{"a step past the end", "at: +5s", "at: 20s",
		"20:18: step at 20s is not before the demo's end, 20s (make end: later, or the step earlier)\n23:13: 10s after step \"up\" is 30s, past the demo's end, 20s (make end: later, or the time shorter)"},
	{"an end before the set-up's", "end: 20s", "end: 0s",
		"6:6: the end, 0s, is not after the end of the setup (end: counts from the end of the setup: write 20s, or more than the last step's time)\n19:21: step at 1s is not before the demo's end, 0s (make end: later, or the step earlier)\n20:18: step at 6s is not before the demo's end, 0s (make end: later, or the step earlier)\n23:13: 10s after step \"up\" is 16s, past the demo's end, 0s (make end: later, or the time shorter)"},
	{"a wrong epoch", "  nodes: 2", "  nodes: 2\n  epoch: yesterday",
		`5:10: epoch "yesterday" is not a time: write 2026-11-21T09:00:00Z`},

	// Nodes.
	{"too many nodes", "nodes: 2", "nodes: 1001",
		`4:10: the number of nodes has to be a whole number from 0 to 1000, and is 1001`},
	{"nodes that are none", "nodes: 2", "nodes: many",
		`4:10: nodes is a number, or a list such as [{name: node-1, cpu: 4, memory: 8Gi, pods: 110}]`},
	{"a node without a name", "nodes: 2", "nodes: [{cpu: 4}]",
		`4:11: a node needs a name, as in {name: node-1, cpu: 4, memory: 8Gi, pods: 110}`},
	{"a bad quantity", "nodes: 2", "nodes: [{name: a, cpu: many}, {name: b, memory: 8GB}]",
		"4:26: cpu \"many\" is not a quantity: write 4, 500m or 8Gi\n4:51: memory \"8GB\" is not a quantity: write 4, 500m or 8Gi"},
	{"a negative quantity", "nodes: 2", "nodes:\n    - name: a\n      memory: -8Gi",
		`6:15: memory -8Gi is negative (write 0 or more)`},
	{"a node's unknown key", "nodes: 2", "nodes: [{name: a, cpus: 4}]",
		`4:21: unknown key "cpus" of a node (did you mean "cpu"?)`},
	{"two nodes of a name", "nodes: 2", "nodes: [{name: a}, {name: a}]",
		`4:22: two nodes are called "a" (give one another name)`},
	{"no room on a node", "nodes: 2", "nodes: [{name: a, pods: 0}]",
		`4:27: pods has to be a whole number from 1 to 1000, and is 0`},

	// Steps.
	{"unknown manifest", "apply: web}", "apply: wbe}",
		"19:32: unknown manifest \"wbe\" (did you mean \"web\"?)"},
	{"a step that is misspelt", "apply: web}", "aply: web}",
		"19:25: unknown key \"aply\" of a step (did you mean \"apply\"?)"},
	{"unused manifest", "steps:\n", "  old: {kind: Pod}\nsteps:\n",
		`18:3: manifest "old" is never applied: remove it, or add a step {apply: old}`},
	{"two things in a step", "apply: web}", "apply: web, stop: kube-scheduler}",
		`19:5: a step does one thing, not apply, stop: apply, create, kubectl, scale, delete, kill-node, start-node, drop-watch, stop, start` + faults},
	{"nothing in a step", "  - {id: up, at: +5s, scale: {replicaset: web, replicas: 2}}", "  - id: up\n    at: 5s",
		`20:5: a step does one thing, not nothing: apply, create, kubectl, scale, delete, kill-node, start-node, drop-watch, stop, start` + faults},
	{"two steps of a name", "id: up,", "id: apply,",
		"20:10: two steps are called \"apply\" (give one another id: after: names one)\n22:12: unknown step \"up\" (known: apply, apply)\n28:12: unknown step \"up\" (known: apply, apply)"},
	{"unknown resource", "scale: {replicaset: web, replicas: 2}}", "scale: {replicasets: web, replicas: 2}}\n  - {delete: {pdo: x}}",
		`21:15: the server doesn't have a resource type "pdo" (did you mean "pod"?)`},
	{"a key too many", "replicas: 2}}", "replica: 2}}",
		"20:23: scale needs replicas, as in {replicaset: web, replicas: 8}\n20:48: unknown key \"replica\": replicasets is named already (remove one of them)"},
	{"replicas that are no number", "replicas: 2}}", "replicas: two}}",
		`20:58: replicas has to be a whole number from -2147483648 to 2147483647, and is the text "two"`},
	{"too many replicas", "replicas: 2}}", "replicas: 99999999999}}",
		`20:58: replicas has to be a whole number from -2147483648 to 2147483647, and is 99999999999`},
	{"half a replica", "replicas: 2}}", "replicas: 1.5}}",
		`20:58: replicas has to be a whole number from -2147483648 to 2147483647, and is the number 1.5 (write it without a fraction, as in 1)`},
	{"nothing to scale", "scale: {replicaset: web, replicas: 2}}", "scale: {replicas: 2}}",
		`20:23: the object is missing, as in {replicaset: web, replicas: 8}`},
	{"no name to scale", "{replicaset: web, replicas", "{replicaset: , replicas",
		`20:31: replicaset needs a name, as in {replicaset: web, replicas: 8}`},
	{"unknown node", "scale: {replicaset: web, replicas: 2}}", "kill-node: nod-2}",
		`20:34: unknown node "nod-2" (did you mean "node-2"?)`},
	{"unknown component", "scale: {replicaset: web, replicas: 2}}", "stop: replicaset-contoller}",
		`20:29: unknown component "replicaset-contoller" (did you mean "replicaset-controller"?)`},
	{"a watch without a client", "scale: {replicaset: web, replicas: 2}}", "drop-watch: {resource: pods}}",
		`20:23: drop-watch needs a client, as in {client: replicaset-controller, resource: pods}`},
	{"a watch of what is not served", "scale: {replicaset: web, replicas: 2}}", "drop-watch: {client: kube-scheduler, resource: pdos}}",
		`20:70: the server doesn't have a resource type "pdos" (did you mean "pods"?)`},
	{"a grace that is too short", "scale: {replicaset: web, replicas: 2}}", "delete: {pod: web-*, grace: -1}}",
		`20:51: grace has to be a whole number from 0 to 2147483647, and is -1`},

	// Claims.
	{"unknown step in a claim", "after: up\n    within", "after: upp\n    within",
		`22:12: unknown step "upp" (did you mean "up"?)`},
	{"a claim without within", "    within: 10s\n", "",
		`22:5: a claim needs within: how long may it take? (add within: 10s)`},
	{"a claim beyond the end", "within: 10s", "within: 15s",
		`23:13: 15s after step "up" is 21s, past the demo's end, 20s (make end: later, or the time shorter)`},
	{"a bad count", "count: 2", "count: two",
		`25:12: count "two" is neither a number nor a comparison: write 8, <= 3 or != 0`},
	{"no count", "    count: 2\n", "",
		`22:5: count "" is neither a number nor a comparison: write 8, <= 3 or != 0`},
	{"a bad selector", "labels: app=web", `labels: app in web`,
		`24:39: labels "app in web" is no selector (write app=web, app!=web, or app in (web, api))`},
	{"a claim on nothing", "    objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}\n", "",
		`22:5: a claim is about one of objects, event, events, order, before and output (keep one of them, or add objects: {resource: pods, labels: app=web})`},
	{"a claim on two things", "    count: 2\n", "    count: 2\n    events: {op: log}\n",
		`22:5: a claim is about one of objects, event, events, order, before and output (keep one of them, or add objects: {resource: pods, labels: app=web})`},
	{"an unknown resource in a claim", "resource: pods", "resource: podz",
		`24:25: the server doesn't have a resource type "podz" (did you mean "pod"?)`},
	{"a claim without a resource", "resource: pods, ", "",
		`24:5: objects needs a resource, as in {resource: pods, labels: app=web, fields: {status.phase: Running}}`},
	{"an order that is counted", "objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}", "order: [{op: log}]",
		`25:12: a claim on an order has no count (remove count:)`},
	{"events that stay", "objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}", "events: {op: log}\n    stays: true",
		`25:12: only a claim on objects can stay true: one on events counts those within its time (remove stays:)`},
	{"an unknown op", "objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}", "events: {op: store.comit}",
		`24:18: unknown kind of event "store.comit" (did you mean "store.commit"?)`},
	{"an unknown op in an order", "    objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}\n    count: 2",
		"    order:\n      - {op: log}\n      - {who: kubectl, op: queue.put}",
		`26:28: unknown kind of event "queue.put" (did you mean "queue.get"?)`},
	{"an event of which nothing is said", "when: {op: log, attrs: {message: Too few replicas}}", "when: {}",
		`29:5: when says nothing about the event: it is written as {op: log, attrs: {message: Too few replicas}}`},

	// Marks.
	{"a mark without a name", "  - id: too-few\n    after", "  - after",
		`27:5: a mark needs an id (add id: too-few: demo:NAME@too-few leads to it)`},
	{"two marks of a name", "controls:", "  - {id: too-few, caption: {en: x, ja: x}}\ncontrols:",
		`31:10: two marks are called "too-few" (give one another id: demo:NAME@ID has to lead to one moment)`},
	{"a mark's unknown step", "    after: up\n    when", "    after: down\n    when",
		`28:12: unknown step "down" (known: apply, up)`},
	{"nth of nothing", "    when: {op: log, attrs: {message: Too few replicas}}", "    nth: 2",
		`29:10: nth needs when: the nth of which event? (add when: {op: log}, or remove nth:)`},
	{"nth from zero", "    caption", "    nth: 0\n    caption",
		`30:10: nth has to be a whole number from 1 to 2147483647, and is 0`},
	{"a mark at two times", "    caption", "    at: 1s\n    caption",
		`30:9: a mark is when an event happens, or at a time: not both (remove one of them)`},
	{"a mark past the end", "    when: {op: log, attrs: {message: Too few replicas}}", "    at: 1m",
		`29:9: 1m0s after step "up" is 1m6s, past the demo's end, 20s (make end: later, or the time shorter)`},

	// Controls.
	{"a control without a limit", "min: 0, max: 9", "min: 0",
		`32:5: a scale control needs max, as in {replicaset: web, min: 0, max: 12}`},
	{"limits that cross", "min: 0, max: 9", "min: 9, max: 9",
		`32:43: max 9 is not above min 9 (write a larger max, or a smaller min)`},
	{"a limit too high", "max: 9", "max: 10001",
		`32:43: max has to be a whole number from 0 to 10000, and is 10001`},
	{"a control's unknown node", "scale: {replicaset: web, min: 0, max: 9}", "kill-node: [node-1, node-9]",
		`32:25: unknown node "node-9" (did you mean "node-1"?)`},
	{"a control's targets that are no list", "scale: {replicaset: web, min: 0, max: 9}", "stop: kube-scheduler",
		`32:11: what a control is about has to be a list, and is the text "kube-scheduler" (write it as [etcd, kube-apiserver])`},
	{"no targets", "scale: {replicaset: web, min: 0, max: 9}", "stop: []",
		`32:5: a control needs at least one component (name one, or remove the control)`},
	{"two offers", "scale: {replicaset: web, min: 0, max: 9}", "scale: {replicaset: web, min: 0, max: 9}\n    delete: {pod: web-*}",
		`32:5: a control offers one thing, not scale, delete: ` + offered},
	{"an offer of nothing", "scale: {replicaset: web, min: 0, max: 9}", "label: {en: x, ja: x}",
		`32:5: a control offers one thing, not nothing: ` + offered},
	{"a command line that is none", "scale: {replicaset: web, min: 0, max: 9}", "kubectl: {examples: [get pods, gte pods]}",
		`32:36: unknown command "gte" for "kubectl" (did you mean "get"?)`},
	{"a command line's unknown manifest", "scale: {replicaset: web, min: 0, max: 9}", "kubectl: {examples: [apply -f wbe.yaml]}",
		`32:35: the path "wbe.yaml" does not exist (did you mean "web.yaml"?)`},
	{"command lines that are no list", "scale: {replicaset: web, min: 0, max: 9}", "kubectl: {examples: get pods}",
		`32:25: examples has to be a list, and is the text "get pods" (write it as [get pods, apply -f web])`},
	{"a command line without examples", "scale: {replicaset: web, min: 0, max: 9}", "kubectl: {}",
		`32:5: a kubectl control needs examples, as in {examples: [get pods, scale deployment web --replicas=5]}`},
	{"a kubectl control's unknown key", "scale: {replicaset: web, min: 0, max: 9}", "kubectl: {exmaples: []}",
		`32:15: unknown key "exmaples" of a kubectl control (did you mean "examples"?)`},
	{"a load without a limit", "scale: {replicaset: web, min: 0, max: 9}", "load: {replicaset: web}",
		`32:5: load needs max, as in {deployment: web, max: 4000m}`},
	{"a load that is none", "scale: {replicaset: web, min: 0, max: 9}", "load: {replicaset: web, max: much}",
		`32:34: max "much" is not an amount: write it as in {deployment: web, max: 4000m}`},
	{"a load too high", "scale: {replicaset: web, min: 0, max: 9}", "load: {replicaset: web, max: 1001}",
		`32:34: max is an amount from 1m to 1000, not 1001`},
	{"a fault's unknown node", "scale: {replicaset: web, min: 0, max: 9}", "fill-memory: {node: nod-1, memory: 7Gi}",
		`32:25: unknown node "nod-1" (did you mean "node-1"?)`},
	{"a fault of nothing", "scale: {replicaset: web, min: 0, max: 9}", "crash-container: {exitCode: 3}",
		`32:5: the object is missing, as in {pod: web-*, exitCode: 3}`},
	{"a request without a URL", "scale: {replicaset: web, min: 0, max: 9}", "request: {from: web}",
		`32:5: request needs a url, as in {url: http://web, from: client}`},
	{"profiles without a choice", "scale: {replicaset: web, min: 0, max: 9}", "profiles: {}",
		`32:5: a profiles control needs a choice, as in {default: [], packing: [{schedulerName: default-scheduler, pluginConfig: […]}]}`},
	{"a choice that is no list", "scale: {replicaset: web, min: 0, max: 9}", "profiles: {packing: MostAllocated}",
		`32:25: schedulerProfiles has to be a list, and is the text "MostAllocated" (write it as [{schedulerName: default-scheduler}])`},
	{"a profile's unknown key", "scale: {replicaset: web, min: 0, max: 9}", "profiles: {packing: [{schedulrName: a}]}",
		`32:26: the scheduler's profile: strict decoding error: unknown field "schedulrName" (write it as in a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1)`},
	{"an offer that is misspelt", "scale: {replicaset: web, min: 0, max: 9}", "registry-dwon: true",
		`32:5: unknown key "registry-dwon" of a control (did you mean "registry-down"?)`},
	{"a demo of nothing", good, "title: {en: x, ja: x}\n",
		`1:1: a demo without steps and controls shows nothing (add steps:, or controls: for readers)`},
}

// TestMistakes is what an author sees.
func TestMistakes(t *testing.T) {
	for _, test := range mistakes {
		t.Run(test.name, func(t *testing.T) {
			_, problems := parse(change(t, test.old, test.new))
			compare(t, problems, test.want)
		})
	}
}

func change(t *testing.T, old, new string) string {
	t.Helper()
	if old == "" {
		return good + new
	}
	if strings.Count(good, old) != 1 {
		t.Fatalf("the file holds %q %d times", old, strings.Count(good, old))
	}
	return strings.Replace(good, old, new, 1)
}

func parse(src string) (*demofile.File, []demofile.Problem) {
	return demofile.Parse("demo", "demo.yaml", []byte(src), []string{"en", "ja"})
}

// compare holds problems against lines.
func compare(t *testing.T, problems []demofile.Problem, want string) {
	t.Helper()
	lines := strings.Split(want, "\n")
	var got []string
	for _, p := range problems {
		got = append(got, strings.TrimPrefix(p.Error(), "demo.yaml:"))
	}
	same := len(got) == len(lines)
	for i := 0; same && i < len(got); i++ {
		same = got[i] == lines[i]
	}
	if !same {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestTheFileItselfIsGood(t *testing.T) {
	file, problems := parse(good)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	result, err := session.Record(file.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	compareNone(t, file.Locate(result.Failures))
}

func compareNone(t *testing.T, problems []demofile.Problem) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

// TestWhatARunShows is about mistakes that only a run finds.
func TestWhatARunShows(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"an unknown field in a manifest", "      replicas: 1", "      replica: 1",
			`13:7: Error from server (BadRequest): error when creating "STDIN": ReplicaSet in version "v1" cannot be handled as a ReplicaSet: strict decoding error: unknown field "spec.replica" (did you mean "replicas"?)`},
		{"an unknown field deep in a manifest", "[{name: web, image: nginx}]", "[{name: web, image: nginx, imagePulPolicy: Always}]",
			`17:55: Error from server (BadRequest): error when creating "STDIN": ReplicaSet in version "v1" cannot be handled as a ReplicaSet: strict decoding error: unknown field "spec.template.spec.containers[0].imagePulPolicy" (did you mean "imagePullPolicy"?)`},
		{"an invalid value", "      replicas: 1", "      replicas: -1",
			`13:17: The ReplicaSet "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0 (correct the step, or add fails: if the demo is about this)`},
		{"a required value", "[{name: web, image: nginx}]", "[]",
			`17:16: The ReplicaSet "web" is invalid: spec.template.spec.containers: Required value (correct the step, or add fails: if the demo is about this)`},
		{"a selector that does not match", "metadata: {labels: {app: web}}", "metadata: {labels: {app: wbe}}",
			`16:20: The ReplicaSet "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"wbe"}: ` +
				"`selector` does not match template `labels` (correct the step, or add fails: if the demo is about this)"},
		{"no name", "    metadata: {name: web}\n", "    metadata: {nme: web}\n",
			`8:3: error: error when retrieving current configuration of: Resource: "apps/v1, Resource=replicasets", GroupVersionKind: ` +
				`"apps/v1, Kind=ReplicaSet" Name: "", Namespace: "default" from server for: "STDIN": resource name may not be empty ` +
				"(write name: under the manifest's metadata)"},
		{"no kind", "    kind: ReplicaSet\n", "",
			`8:3: error: error validating "STDIN": error validating data: kind not set; if you choose to ignore these errors, turn validation off with --validate=false (correct the step, or add fails: if the demo is about this)`},
		{"a step that fails", "scale: {replicaset: web, replicas: 2}", "scale: {replicaset: wbe, replicas: 2}",
			`20:5: Error from server (NotFound): replicasets.apps "wbe" not found (correct the step, or add fails: if the demo is about this)`},
		{"a negative scale", "replicas: 2}}", "replicas: -2}}",
			`20:5: error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0 (correct the step, or add fails: if the demo is about this)`},
		{"a step that should fail", "id: up,", "id: up, fails: not found,",
			`20:21: the step should have failed with "not found", but it worked (remove fails:, or change the step so that it fails)`},
		{"a claim that does not hold", "count: 2", "count: 3",
			`22:5: the number of pods with app=web and status.phase=Running should have been 3 within 10s of step "up", but it was 2 at 16s (change the claim or the demo: kubewalk trace demo shows what happens)`},
		{"a mark that never comes", "message: Too few replicas", "message: Too many replicas",
			`27:5: mark "too-few": event "log message=Too many replicas" did not happen after step "up" (change the mark: kubewalk trace demo --mark prints what to write)`},
		{"a mark that comes too seldom", "    caption", "    nth: 2\n    caption",
			`27:5: mark "too-few": event "log message=Too few replicas" happened 1 times after step "up", not 2 (change the mark: kubewalk trace demo --mark prints what to write)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file, problems := parse(change(t, test.old, test.new))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			result, err := session.Record(file.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			located := file.Locate(result.Failures)
			// What comes of the mistake is reported behind it: only the first line is its own.
			var first []demofile.Problem
			for _, p := range located {
				if strings.HasPrefix(test.want, fmt.Sprintf("%d:%d: ", p.Line, p.Column)) {
					first = append(first, p)
				}
			}
			if len(first) == 0 {
				first = located
			}
			compare(t, first, test.want)
		})
	}
}

func TestFailsIsPartOfTheMessage(t *testing.T) {
	src := strings.Replace(good, "id: up, at: +5s, scale: {replicaset: web, replicas: 2}",
		"id: up, at: +5s, fails: must be greater, scale: {replicaset: web, replicas: -2}", 1)
	file, problems := parse(strings.Replace(strings.Replace(src, "count: 2", "count: 1", 1), "when: {op: log, attrs: {message: Too few replicas}}", "at: 1s",
		1))
	compareNone(t, problems)
	result, err := session.Record(file.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	compareNone(t, file.Locate(result.Failures))
}

// TestTheBooksDemos holds for every file of the book, whatever it is about.
func TestTheBooksDemos(t *testing.T) {
	for _, path := range books(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := demofile.Parse("demo", path, src, []string{"en", "ja"})
		compareNone(t, problems)
	}
}

func books(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no demos in content/demos: %v", err)
	}
	return paths
}
