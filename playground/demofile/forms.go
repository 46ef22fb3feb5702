package demofile

import (
	"math"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// demoForm is the whole file.
var demoForm = &form{name: "demo", what: "a demo", example: "title: {en: Scale up}, steps: […]", keys: []key{
	need("title", texts, "what the demo is called, in each of the book's languages: `{en: Scale up}`"),
	may("seed", shape{json: object{"type": "integer", "minimum": 0}}, "a whole number: the same one gives the same run, to the byte"),
	may("cluster", of(clusterForm), "what stands before the first step: [the cluster](#cluster)"),
	may("focus", listOf(text), "up to three controllers whose insides the picture shows; the others are one box each"),
	may("setup", duration, "how long the cluster runs on its own before a page shows it (15s); all other times count from there"),
	may("end", duration, "when the recording ends (30s)"),
	may("manifests", manifests, "objects by a name of your choice, as they would stand in a file; steps apply them"),
	may("steps", listOf(of(stepForm)), "the script: a list of [steps](#step)"),
	may("claims", listOf(of(claimForm)), "what has to be true of the run, or the build fails: [claims](#claim)"),
	may("marks", listOf(of(markForm)), "moments that the page points at: [marks](#mark)"),
	may("controls", listOf(of(controlForm)), "what readers may do: [controls](#control)"),
	may("whatIf", listOf(of(whatIfForm)), "the same run, but for one switch: [what-ifs](#what-if)"),
	may("exercises", listOf(of(exerciseForm)), "what a chapter asks of its reader: [exercises](#exercise)"),
}}

// The cluster.
var (
	clusterForm = &form{name: "cluster", what: "the cluster", example: "{nodes: 3}", keys: []key{
		may("nodes", either(whole(0, maxCount), listOf(of(nodeForm))), "how many, or a list of [nodes](#node): 3 with 4 CPUs and 8 GiB without it"),
		may("controllers", listOf(text), "those of kube-controller-manager that run; all of them without it"),
		may("network", yes, "`true`: Pods have addresses, and there are kube-proxy and CoreDNS"),
		may("ingress", yes, "`true`: with an ingress controller; needs network"),
		may("networkPolicies", yes, "`true`: with what enforces them; needs network"),
		may("operators", listOf(oneOfThese(cluster.OperatorNames...)), "controllers outside kube-controller-manager: `workqueue-example`, which is client-go's"),
		may("metrics", yes, "`true`: with metrics-server, for `kubectl top` and autoscalers"),
		may("leaderElect", yes, "`true`: controller managers and schedulers elect a leader"),
		may("controllerManagers", whole(1, maxInstances), "how many; more than one needs leaderElect"),
		may("schedulers", whole(1, maxInstances), "how many"),
		may("schedulerProfiles", profiles, "a list, as `profiles` in a KubeSchedulerConfiguration"),
		may("epoch", text, "what the clock says at the start: `2026-11-21T09:00:00Z`"),
		may("trace", oneOfThese(sorted(levels)...), "how much is kept: `objects` keeps only what happens to objects, for a thousand Pods; `totals` counts them, for hollow nodes; else `all`"),
		may("hollowNodes", of(hollowForm), "[nodes](#hollow-nodes) on which nothing runs"),
		may("preload", of(preloadForm), "[Deployments](#preload) that are there when the cluster starts; needs hollowNodes"),
	}}
	nodeForm = &form{name: "node", what: "a node", example: nodeExample, keys: []key{
		need("name", text, "what it is called"),
		may("cpu", text, "a quantity: `4`, `500m`"),
		may("memory", text, "a quantity: `8Gi`"),
		may("pods", whole(1, maxCount), "how many Pods it takes"),
		may("labels", texts, "labels: `{zone: a}`"),
	}}
	hollowForm = &form{name: "hollow-nodes", what: "hollowNodes", example: "{count: 5000, zones: 3, cpu: 32, memory: 256Gi, pods: 110}", keys: []key{
		need("count", whole(1, 10000), "how many"),
		may("zones", whole(0, 26), "how many zones they are spread over"),
		may("cpu", text, "of each: a quantity"),
		may("memory", text, "of each: a quantity"),
		may("pods", whole(0, 253), "how many Pods each takes"),
	}}
	preloadForm = &form{name: "preload", what: "preload", example: "{deployments: 50, replicas: 2980, cpu: 100m, memory: 128Mi, image: nginx:1.27}", keys: []key{
		need("deployments", whole(1, 1000), "how many Deployments, called app-1, app-2 and so on"),
		need("replicas", whole(1, 150000), "of each"),
		may("cpu", text, "what a Pod requests"),
		may("memory", text, "what a Pod requests"),
		may("image", text, "what runs in it"),
	}}
)

// Steps.
var (
	outcomeKeys = []key{
		may("fails", text, "a part of the error that the step has to end with"),
		may("prints", oneOrList(text), "what the command has to print: a text that is a part of it, or a list of them"),
		may("manifest", anything, "with a command that has `-f -`: the object, as YAML or as a text that holds YAML"),
	}
	stepForm = &form{name: "step", what: "a step", example: "{id: up, at: 15s, scale: {…}}", keys: join(
		[]key{
			may("id", text, "a name, for what counts from it"),
			may("at", moment, "when: `15s` from the set-up's end; `+15s` from the step before"),
		}, outcomeKeys, doingKeys())}
	answerForm = &form{name: "answer", what: "a step", example: answerExample, keys: join(
		[]key{may("at", moment, "when: `1s` from where the exercise begins; `+1s` from the step before")}, outcomeKeys, doingKeys())}
)

const answerExample = "{at: 1s, scale: {replicaset: web, replicas: 5}}"

// What a step does, where it is a mapping.
var (
	scaleForm = &form{name: "scale", what: aboutWhat, example: "{replicaset: web, replicas: 8}", object: true, keys: []key{
		need("replicas", whole(math.MinInt32, math.MaxInt32), "how many"),
	}}
	deleteForm = &form{name: "delete", what: aboutWhat, example: "{pod: web-*}", object: true, keys: []key{
		may("grace", whole(0, math.MaxInt32), "seconds, as in `--grace-period`"),
	}}
	dropWatchForm = &form{name: "drop-watch", what: "drop-watch", example: "{client: replicaset-controller, resource: pods}", keys: []key{
		need("client", text, "the component whose watch breaks"),
		may("resource", resources, "of which resource; all without it"),
	}}
	crashForm = &form{name: "crash-container", what: aboutWhat, example: "{pod: web-*, exitCode: 3}", object: true, keys: []key{
		may("container", text, "which of the Pod's"),
		may("exitCode", whole(0, 255), "what it ends with"),
	}}
	useMemoryForm  = usesForm("use-memory", "memory", "200Mi")
	useCPUForm     = usesForm("use-cpu", "cpu", "500m")
	fillMemoryForm = fillForm("fill-memory", "memory", "7Gi")
	fillDiskForm   = fillForm("fill-disk", "disk", "95Gi")
	slowKubelet    = &form{name: "slow-kubelet", what: "slow-kubelet", example: "{node: node-1, by: 2s}", keys: []key{
		need("node", text, "whose kubelet"),
		need("by", duration, "how much later it gets to its work"),
	}}
	slowForm = &form{name: "slow", what: "slow", example: "{component: kube-scheduler, by: 2s}", keys: []key{
		need("component", text, "which: also etcd and kube-apiserver"),
		need("by", duration, "how much later it gets to its work"),
	}}
	failForm = &form{name: "fail", what: "fail", example: `{component: kube-apiserver, with: "503 30%"}`, keys: []key{
		need("component", text, "which; one that is not kube-apiserver or etcd crashes at each piece of work"),
		may("with", text, "of kube-apiserver `503`, `500` or `429`, and how often (`503 30%`); of etcd `no-leader` or `no-space`; of workqueue-example `no-space`"),
	}}
	healForm = &form{name: "heal", what: "heal", example: "{component: etcd, of: slow}", keys: []key{
		may("component", text, "which"),
		may("node", text, "or which node"),
		may("of", oneOfThese(string(cluster.Partition), string(cluster.Slow), string(cluster.Fail)), "which fault ends; all without it"),
	}}
	loadForm = &form{name: "load", what: aboutWhat, example: "{deployment: web, cpu: 1500m}", object: true, keys: []key{
		need("cpu", text, "how much CPU is asked for, spread over the Pods"),
	}}
	outsideMetricForm = &form{name: "set-metric", what: "set-metric", example: "{metric: queue_length, value: 30}", object: true, keys: []key{
		need("metric", text, "its name. Without a resource it comes from outside the cluster"),
		may("value", text, "how much; without it the metric is taken away"),
	}}
	objectMetricForm = &form{name: "set-metric", what: aboutWhat, example: "{service: web, metric: requests, value: 90}", object: true, keys: outsideMetricForm.keys}
	requestForm      = &form{name: "request", what: "request", example: "{url: http://web, from: client}", keys: []key{
		need("url", text, "what is asked for"),
		may("from", text, "who asks: a Pod, a node, or `outside`"),
	}}
	ownForm = &form{name: "own", what: aboutWhat, example: "{configmap: a, owner: b}", object: true, keys: []key{
		need("owner", text, "the name of an object of the same resource that becomes its owner"),
		may("blocks", yes, "`true`: with blockOwnerDeletion"),
	}}
)

const aboutWhat = "what it is about"

func usesForm(name, what, much string) *form {
	return &form{name: name, what: aboutWhat, example: "{pod: web-*, " + what + ": " + much + "}", object: true, keys: []key{
		may("container", text, "which of the Pod's"),
		need(what, text, "how much it uses: `"+much+"`"),
	}}
}

func fillForm(name, what, much string) *form {
	return &form{name: name, what: name, example: "{node: node-1, " + what + ": " + much + "}", keys: []key{
		need("node", text, "which"),
		need(what, text, "how much is used: `"+much+"`"),
	}}
}

// Claims and marks.
var (
	aboutKeys = []key{
		may("objects", of(objectsForm), "objects, as they are then: [objects](#objects)"),
		may("event", of(eventForm), "Events of the API: [event](#event)"),
		may("events", of(matchForm), "events of the run, as the event log shows them: [a match](#match)"),
		may("order", listOf(of(matchForm)), "a list of [matches](#match): each happens behind the one before"),
		may("output", oneOrList(text), "what the last command printed: a text that is a part of it, or a list of them"),
		may("count", text, "how many: `8`, `\"<= 3\"`, `\"!= 0\"`; of a claim in another world `\"> real\"` compares with the real one"),
	}
	claimForm = &form{name: "claim", what: "a claim", example: "{after: up, within: 10s, objects: {…}, count: 8}", keys: join([]key{
		may("in", text, "the id of a [what-if](#what-if) that it is about"),
		may("after", text, "the id of the step from which it counts; the set-up's end without it"),
		may("within", duration, "how long it may take to become true; what is counted happens within it. Needed, but with `stays`"),
		may("stays", yes, "`true`: then it stays so, to the demo's end"),
		may("always", yes, "`true`: it is so at every moment, for `within`"),
		may("before", listOf(of(matchForm)), "a list of [matches](#match): the first of each happens before the first of the next"),
	}, aboutKeys)}
	objectsForm = &form{name: "objects", what: "objects", example: "{resource: pods, labels: app=web, fields: {status.phase: Running}}", keys: []key{
		need("resource", resources, "which resource"),
		may("namespace", text, "in which; any without it"),
		may("name", text, "`web`, or `web-*`"),
		may("labels", text, "a selector: `app=web,tier!=db`"),
		may("fields", texts, "what fields have to be: `{status.phase: Running}`, `\">= 3\"`; paths as `spec.containers.0.image` and `status.conditions[Ready].status`"),
	}}
	eventForm = &form{name: "event", what: "event", example: "{reason: Scheduled, object: pod/web-*}", keys: []key{
		may("reason", text, "`Scheduled`"),
		may("type", text, "`Normal` or `Warning`"),
		may("object", text, "`pod/web-*`"),
		may("message", text, "`\"Scaled up*\"`; a `*` at the end or the beginning is anything"),
	}}
	matchForm = &form{name: "match", what: "an event", example: "{op: log, attrs: {message: Too few replicas}}", filled: true, keys: []key{
		may("op", oneOfThese(trace.OpNames()...), "the kind of event: `store.commit`, `request.send`, `log`"),
		may("who", text, "the component: `replicaset-controller`, `kubelet/*`"),
		may("object", text, "`pods default/web-*`"),
		may("attrs", texts, "what its values have to be: `{message: Too few replicas}`, `{need: \">= 2\"}`"),
	}}
	markForm = &form{name: "mark", what: "a mark", example: "{id: too-few, after: up, when: {…}, caption: {…}}", keys: []key{
		need("id", text, "its name: `demo:DEMO@ID` leads there"),
		may("after", text, "the id of the step from which it counts; the set-up's end without it"),
		may("when", of(matchForm), "the first event that fits: [a match](#match)"),
		may("nth", whole(1, math.MaxInt32), "not the first that fits, but that one"),
		may("at", duration, "instead of `when`: so long after the step"),
		need("caption", texts, "what is to be seen then, in each of the book's languages"),
	}}
)

// Controls.
var (
	controlForm = &form{name: "control", what: "a control", example: "scale: {replicaset: web, min: 0, max: 12}", keys: join(
		[]key{may("label", texts, "what the button says, in each of the book's languages, if it is not to say it by itself")}, offers)}
	scaleControlForm = &form{name: "scale-control", what: aboutWhat, example: "{replicaset: web, min: 0, max: 12}", object: true, keys: []key{
		need("min", whole(0, maxReplicas), "how few"),
		need("max", whole(0, maxReplicas), "how many"),
	}}
	deleteControlForm = &form{name: "delete-control", what: aboutWhat, example: "{pod: web-*}", object: true}
	loadControlForm   = &form{name: "load-control", what: aboutWhat, example: "{deployment: web, max: 4000m}", object: true, keys: []key{
		need("max", text, "how much CPU at most: `4000m`"),
	}}
	kubectlForm = &form{name: "kubectl-control", what: "a kubectl control", example: "{examples: [get pods, scale deployment web --replicas=5]}", keys: []key{
		need("examples", listOf(text), "lines that are offered; readers may type any, and `-f` names any manifest of the file"),
	}}
)

// What-ifs: the keys are cluster.SwitchKinds.
var (
	whatIfForm = &form{name: "what-if", what: "a counterfactual", example: "{id: forgetful, label: {…}, text: {…}, without-expectations: replicaset-controller}", keys: []key{
		need("id", text, "its name, for claims (`in: forgetful`)"),
		need("label", texts, "what it is called, in each of the book's languages"),
		need("text", texts, "what is switched: one sentence, in each of the book's languages"),
		may(string(cluster.WithoutExpectations), either(text, of(forgetForm)), "a controller that does not remember what it has asked for; or [with a cache that is behind](#without-expectations)"),
		may(string(cluster.EdgeTriggered), text, "a controller that acts on what happens, not on what is"),
		may(string(cluster.StaleCache), of(staleForm), "[a cache](#stale-cache) that is late, or stands still"),
		may(string(cluster.BrokenWatch), of(brokenForm), "[a watch](#broken-watch) that breaks without anybody noticing"),
		may(string(cluster.KilledMidBatch), of(killedForm), "[a component](#killed-mid-batch) that is killed between two requests"),
		may(string(cluster.NoBackOff), text, "a component that tries again at once: a controller, kube-scheduler or kubelet"),
	}}
	forgetForm = &form{name: "without-expectations", what: "without-expectations", example: "{component: replicaset-controller, late: 20ms}", keys: []key{
		need("component", text, "which"),
		may("resource", resources, "of which its cache is behind; all without it"),
		may("late", duration, "how far"),
	}}
	staleForm = &form{name: "stale-cache", what: "stale-cache", example: "{component: replicaset-controller, resource: pods, late: 2s}", keys: []key{
		need("component", text, "which"),
		may("resource", resources, "of which resource; all without it"),
		may("late", duration, "how far it is behind"),
		may("for", duration, "or how long it stands still"),
		may("after", text, "the id of the step from which it is so"),
		may("at", moment, "and how long after it"),
	}}
	brokenForm = &form{name: "broken-watch", what: "broken-watch", example: "{client: replicaset-controller, resource: pods, after: up, at: 2s}", keys: []key{
		need("client", text, "whose"),
		may("resource", resources, "of which resource; all without it"),
		may("after", text, "the id of the step after which it breaks; without it and `at`, when a fault breaks it"),
		may("at", moment, "and how long after it"),
	}}
	killedForm = &form{name: "killed-mid-batch", what: "killed-mid-batch", example: "{component: replicaset-controller, create: 3, after: up, restart: 5s}", keys: []key{
		need("component", text, "which"),
		need("create", whole(1, math.MaxInt32), "before which request to create it is killed"),
		may("resource", resources, "to create what (pods)"),
		may("after", text, "the id of the step from which they count"),
		may("at", moment, "and how long after it"),
		may("restart", duration, "how long it takes to come back"),
	}}
)

// Exercises.
var (
	exerciseForm = &form{name: "exercise", what: "an exercise", example: "{id: five, task: {…}, goal: {…}, answer: […]}", keys: []key{
		need("id", text, "its name: a chapter shows it with a block ` ```exercise ` in which stands DEMO/ID"),
		need("task", texts, "what to do, in each of the book's languages; plain text"),
		may("from", text, "where it begins: `up`, `too-few+2s`, `+8s`; a step or mark, and how long after it"),
		need("goal", oneOrList(of(conditionForm)), "what has to hold: [a condition](#condition), or a list that holds in one moment"),
		may("never", oneOrList(of(conditionForm)), "what must not be true in any moment from the reader's first input on"),
		may("holds", duration, "so long has all of the goal to hold"),
		may("within", duration, "so soon after the reader's first input"),
		may("predict", listOf(of(optionForm)), "makes it a question: [options](#option), of which the goal proves the right one"),
		may("hints", listOf(of(hintForm)), "[hints](#hint), shown one at a time"),
		may("answer", listOf(of(answerForm)), "[steps](#answer) that reach the goal: the build does them"),
		may("wrong", listOf(listOf(of(answerForm))), "a list of answers that must not reach it; they get to the hints' conditions"),
	}}
	conditionForm = &form{name: "condition", what: "a condition", example: "{objects: {…}, count: 5}", keys: join(
		[]key{may("text", texts, "what is shown in a list of what holds, in each of the book's languages")}, aboutKeys)}
	optionForm = &form{name: "option", what: "an option", example: "{text: {…}, right: true, why: {…}}", keys: []key{
		need("text", texts, "what it says, in each of the book's languages"),
		may("right", yes, "`true` for the one that is"),
		need("why", texts, "why it is right or wrong, in each of the book's languages"),
	}}
	hintForm = &form{name: "hint", what: "a hint", example: "{when: {…}, text: {…}}", keys: []key{
		may("when", oneOrList(of(conditionForm)), "[a condition](#condition) that holds now, or a list; always without it"),
		need("text", texts, "what it says, in each of the book's languages"),
	}}
)

func join(lists ...[]key) (out []key) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}
