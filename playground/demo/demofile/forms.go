package demofile

import (
	"math"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// demoForm is the whole file.
var demoForm = &form{name: "demo", what: "a demo", example: "title: {en: Scale up}, steps: […]", keys: []key{
	need("title", texts, "what the demo is called, in each of the book's languages: `{en: Scale up}`"),
	may("seed", shape{json: object{"type": "integer", "minimum": 0}}, "a whole number; the same seed gives the same run, byte for byte"),
	may("cluster", of(clusterForm), "the cluster as it is before the first step: [the cluster](#cluster)"),
	may("focus", oneOrList(text), "a controller, `kube-scheduler`, `kube-apiserver` (the phases of a write) or `etcd` (revisions, and how far each watch has got), "+
		"which the picture shows from inside, large, and the rest small; "+
		"or `garbage-collector`: its graph, with the queues and what the workers decide; "+
		"or `kubelet`: the picture shows one Pod from inside the kubelet that runs it, the one that last started or got into trouble; "+
		"or `network`: the picture follows a request; or `cluster`, the default: the whole cluster; or a list of up to three controllers: "+
		"the picture shows the whole cluster, with the internals of these, and each of the others is a single box"),
	may("setup", duration, "how long the cluster runs before the page shows it (15s); all other times count from its end"),
	may("end", duration, "when the recording ends (30s)"),
	may("manifests", manifests, "objects, each under a name of your choice, written as in a manifest file; steps apply them. A name with folders, such as `base/kustomization`, is for `kubectl apply -k`; a text is a file of its own"),
	may("steps", listOf(of(stepForm)), "the script: a list of [steps](#step)"),
	may("claims", listOf(of(claimForm)), "what must be true of the run; otherwise the build fails: [claims](#claim)"),
	may("marks", listOf(of(markForm)), "moments that the page points at: [marks](#mark)"),
	may("controls", listOf(of(controlForm)), "what readers can do: [controls](#control)"),
	may("whatIf", listOf(of(whatIfForm)), "the same run with one thing changed: [what-ifs](#what-if)"),
	may("exercises", listOf(of(exerciseForm)), "tasks and questions for readers: [exercises](#exercise)"),
}}

// The cluster.
var (
	clusterForm = &form{name: "cluster", what: "the cluster", example: "{nodes: 3}", keys: []key{
		may("nodes", either(whole(0, maxCount), listOf(of(nodeForm))), "how many, or a list of [nodes](#node); by default 3 nodes with 4 CPUs and 8 GiB each"),
		may("controllers", listOf(text), "which of kube-controller-manager's controllers run; by default all of them"),
		may("authorization", oneOfThese(cluster.RBAC), "`rbac`: the API server asks who may do what, with the roles that every cluster has; "+
			"by default everybody may do everything"),
		may("cel", yes, "`true`: expressions in CEL are evaluated, in rules of definitions, admission policies and conditions of webhooks; otherwise what has some "+
			"is refused. The page then loads a control plane that is half as large again"),
		may("allKinds", yes, "`true`: also the kinds that hardly any demo needs (RuntimeClass, CertificateSigningRequest, FlowSchema …) from the start, "+
			"not from the first step on that names one, and the controllers that sign certificates, attach volumes and mirror Endpoints; "+
			"the page then loads the same large control plane"),
		may("devices", yes, "`true`: also DeviceClasses, ResourceClaims, ResourceClaimTemplates and ResourceSlices from the start, "+
			"not from the first step on that applies one, and the controllers of claims and of devices' taints; "+
			"schedulers allocate devices and kubelets prepare them; selectors need `cel`. The page then loads the same large control plane"),
		may("network", yes, "`true`: Pods get IP addresses, and kube-proxy and CoreDNS run"),
		may("ingress", yes, "`true`: an ingress controller runs; requires `network`"),
		may("networkPolicies", yes, "`true`: network policies are enforced; requires `network`"),
		may("operators", listOf(oneOfThese(cluster.OperatorNames...)), "controllers outside kube-controller-manager: client-go's `workqueue-example`, `sample-controller`, kubebuilder's way, `website-operator`, `secret-distributor`, `teams-operator`, `accurate-controller`, the four of Cluster API, and two that Pods with their images start: `shell-operator`, and `disk-controller`, a CSI driver with its sidecars"),
		may("startLater", listOf(oneOfThese(cluster.OperatorNames...)), "which of the `operators` do not start with the cluster; a step starts them"),
		may("cloud", yes, "`true`: the nodes are instances of a cloud, and a cloud-controller-manager runs; not with `hollowNodes`"),
		may("cloudRoutes", yes, "`true`: Pods of different nodes reach each other by the cloud's routes, which cloud-controller-manager asks for; "+
			"requires `cloud`; the page then loads the same large control plane"),
		may("metrics", yes, "`true`: metrics-server is installed, for `kubectl top` and autoscalers; needs `network`"),
		may("leaderElect", yes, "`true`: controller managers and schedulers elect a leader"),
		may("controllerManagers", whole(1, maxInstances), "how many; more than one requires `leaderElect`"),
		may("schedulers", whole(1, maxInstances), "how many"),
		may("schedulerProfiles", profiles, "a list, written like `profiles` in a KubeSchedulerConfiguration"),
		may("schedulerPlugins", listOf(oneOfThese(cluster.SchedulerPlugins()...)), "plugins from out of tree that the schedulers are built with, for profiles to "+
			"enable; the page then loads the large control plane"),
		may("schedulerExtenders", shape{json: object{"type": "array", "items": object{"type": "object"}}}, "a list, written like `extenders` in a "+
			"KubeSchedulerConfiguration; requires `network`; the page then loads the large control plane"),
		may("kubeAPIQPS", whole(1, maxKubeAPIQPS), "requests a second that each controller, scheduler and kubelet may send, and twice as many in a burst: "+
			"`--kube-api-qps`; by default 20 (30 in a burst), 50 (100) and 50 (100)"),
		may("epoch", text, "the time on the cluster's clock at the start: `2026-11-21T09:00:00Z`"),
		may("trace", oneOfThese(sorted(levels)...),
			"how much of the run is kept: `all` by default; `objects` keeps only what happens to objects, for a thousand Pods; `totals` only counts it, for hollow nodes"),
		may("hollowNodes", of(hollowForm), "[nodes](#hollow-nodes) that don't run any containers"),
		may("kubeadm", yes, "`true`: nothing runs but the machines' container runtimes; steps `start: kubeadm/NODE` run `kubeadm init` on the first node and "+
			"`kubeadm join` on others; requires `authorization: rbac`, `leaderElect` and `allKinds`, and no `network`"),
		may("images", shape{json: object{"type": "object", "additionalProperties": imageSchema()}},
			"images that behave as you say, for roll-outs that go wrong: `{\"shop:v2\": {crash-after: 5s}}`; the keys are the flags of "+
				"[`kubewalk.dev/app`](#images), without hyphens"),
		may("preload", of(preloadForm), "[Deployments](#preload) that exist when the cluster starts; requires `hollowNodes`"),
	}}
	nodeForm = &form{name: "node", what: "a node", example: nodeExample, keys: []key{
		need("name", text, "the node's name"),
		may("cpu", text, "a quantity: `4`, `500m`"),
		may("memory", text, "a quantity: `8Gi`"),
		may("pods", whole(1, maxCount), "how many Pods it can run"),
		may("labels", texts, "its labels: `{zone: a}`"),
	}}
	hollowForm = &form{name: "hollow-nodes", what: "hollowNodes", example: "{count: 5000, zones: 3, cpu: 32, memory: 256Gi, pods: 110}", keys: []key{
		need("count", whole(1, 10000), "how many"),
		may("zones", whole(0, 26), "how many zones they are spread over"),
		may("cpu", text, "of each node: a quantity"),
		may("memory", text, "of each node: a quantity"),
		may("pods", whole(0, 253), "how many Pods each node can run"),
	}}
	preloadForm = &form{name: "preload", what: "preload", example: "{deployments: 50, replicas: 2980, cpu: 100m, memory: 128Mi, image: nginx:1.27}", keys: []key{
		need("deployments", whole(1, 1000), "how many Deployments; they are called app-1, app-2 and so on"),
		need("replicas", whole(1, 150000), "replicas of each Deployment"),
		may("cpu", text, "what each Pod requests"),
		may("memory", text, "what each Pod requests"),
		may("image", text, "the image that each Pod runs"),
	}}
)

// Steps.
var (
	outcomeKeys = []key{
		may("fails", text, "the step must fail, with an error that contains this text"),
		may("prints", oneOrList(text), "a text, or a list of texts, that the command's output must contain"),
		may("manifest", anything, "for a command with `-f -`: the object, as YAML or as a text that contains YAML"),
	}
	stepForm = &form{name: "step", what: "a step", example: "{id: up, at: 15s, scale: {…}}", keys: join(
		[]key{
			may("id", text, "a name by which claims, marks and exercises refer to the step"),
			may("at", moment, "when: `15s` after the end of the setup, `+15s` after the previous step"),
		}, outcomeKeys, doingKeys())}
	answerForm = &form{name: "answer", what: "a step", example: answerExample, keys: join(
		[]key{may("at", moment, "when: `1s` after the exercise begins, `+1s` after the previous step")}, outcomeKeys, doingKeys())}
)

const answerExample = "{at: 1s, scale: {replicaset: web, replicas: 5}}"

// What a step does, where it is a mapping.
var (
	scaleForm = &form{name: "scale", what: aboutWhat, example: "{replicaset: web, replicas: 8}", object: true, keys: []key{
		need("replicas", whole(math.MinInt32, math.MaxInt32), "the number of replicas"),
	}}
	deleteForm = &form{name: "delete", what: aboutWhat, example: "{pod: web-*}", object: true, keys: []key{
		may("grace", whole(0, math.MaxInt32), "the grace period in seconds, as in `--grace-period`"),
	}}
	dropWatchForm = &form{name: "drop-watch", what: "drop-watch", example: "{client: replicaset-controller, resource: pods}", keys: []key{
		need("client", text, "the component whose watch breaks"),
		may("resource", resources, "of which resource; by default all"),
	}}
	crashForm = &form{name: "crash-container", what: aboutWhat, example: "{pod: web-*, exitCode: 3}", object: true, keys: []key{
		may("container", text, "which of the Pod's containers"),
		may("exitCode", whole(0, 255), "the exit code"),
	}}
	useMemoryForm  = usesForm("use-memory", "memory", "200Mi")
	useCPUForm     = usesForm("use-cpu", "cpu", "500m")
	fillMemoryForm = fillForm("fill-memory", "memory", "7Gi")
	fillDiskForm   = fillForm("fill-disk", "disk", "95Gi")
	slowKubelet    = &form{name: "slow-kubelet", what: "slow-kubelet", example: "{node: node-1, by: 2s}", keys: []key{
		need("node", text, "the node whose kubelet is slow"),
		need("by", duration, "how much later it does its work"),
	}}
	slowForm = &form{name: "slow", what: "slow", example: "{component: kube-scheduler, by: 2s}", keys: []key{
		need("component", text, "which component; can also be etcd or kube-apiserver"),
		need("by", duration, "how much later it does its work"),
	}}
	failForm = &form{name: "fail", what: "fail", example: `{component: kube-apiserver, with: "503 30%"}`, keys: []key{
		need("component", text, "which component; any except kube-apiserver and etcd then crashes whenever it has work to do"),
		may("with", text, "the error: for kube-apiserver `503`, `500` or `429`, and how often (`503 30%`); for etcd `no-leader` or `no-space`; "+
			"for workqueue-example `no-space`; for cloud-controller-manager `quota` (no more load balancers), `route-quota` (no more routes; requires `cloudRoutes`) or `api-errors`; for sample-controller, website-operator and secret-distributor a [mistake of the author](#mistakes)"),
	}}
	healForm = &form{name: "heal", what: "heal", example: "{component: etcd, of: slow}", keys: []key{
		may("component", text, "the component"),
		may("node", text, "or the node"),
		may("of", oneOfThese(string(cluster.Partition), string(cluster.Slow), string(cluster.Fail)), "which fault ends; by default all"),
	}}
	loadForm = &form{name: "load", what: aboutWhat, example: "{deployment: web, cpu: 1500m}", object: true, keys: []key{
		need("cpu", text, "how much CPU the load needs in total; it is spread over the Pods"),
	}}
	outsideMetricForm = &form{name: "set-metric", what: "set-metric", example: "{metric: queue_length, value: 30}", object: true, keys: []key{
		need("metric", text, "the metric's name. Without a resource it is an external metric"),
		may("value", text, "its value; without it, the metric is removed"),
	}}
	objectMetricForm = &form{name: "set-metric", what: aboutWhat, example: "{service: web, metric: requests, value: 90}", object: true,
		keys: outsideMetricForm.keys}
	requestForm = &form{name: "request", what: "request", example: "{url: http://web, from: client}", keys: []key{
		need("url", text, "the URL that is requested"),
		may("from", text, "where the request comes from: a Pod, a node, `kube-apiserver`, or `outside`"),
		may("method", text, "the method of HTTP; by default `GET`"),
		may("body", text, "what is sent with it"),
	}}
	apiRequestForm = &form{name: "api-request", what: "api-request", example: "{method: DELETE, path: /api/v1/namespaces/default/pods/web-1}", keys: []key{
		need("method", oneOfThese("POST", "PUT", "PATCH", "DELETE"), "the method of HTTP"),
		need("path", text, "the path, and the query after a `?`: `/api/v1/namespaces/default/pods?fieldManager=me`"),
		may("body", anything, "the object, the patch or the options, as YAML; or a text, which is sent as it is; for `exec`, what the command reads"),
		may("contentType", text, "the type of the body, which a patch needs: `application/merge-patch+json`; by default `application/json`. With `application/octet-stream`, what a command reads is in base64"),
		may("as", text, "the user as whom it is sent: `kubectl --as`"),
		may("asGroups", listOf(text), "the groups of that user: `kubectl --as-group`"),
		may("agent", text, "the name of the program that sends it: the manager of the fields, if the query has no `fieldManager`"),
		may("connection", text, "for `exec` and `attach`, a name: the connection stays open, and [`type`](#type) types to the command at its end; requires `allKinds: true`"),
	}}
	typeForm = &form{name: "type", what: "type", example: "{line: ls, connection: 1}", keys: []key{
		may("line", text, "what is typed; by default only Enter is pressed"),
		need("connection", text, "the name of the connection that an `api-request` opened"),
	}}
	ownForm = &form{name: "own", what: aboutWhat, example: "{configmap: a, owner: b}", object: true, keys: []key{
		need("owner", text, "the name of the new owner, an object of the same resource"),
		may("blocks", yes, "`true`: the owner reference sets blockOwnerDeletion"),
	}}
)

const aboutWhat = "what it is about"

func usesForm(name, what, much string) *form {
	return &form{name: name, what: aboutWhat, example: "{pod: web-*, " + what + ": " + much + "}", object: true, keys: []key{
		may("container", text, "which of the Pod's containers"),
		need(what, text, "how much it uses: `"+much+"`"),
	}}
}

func fillForm(name, what, much string) *form {
	return &form{name: name, what: name, example: "{node: node-1, " + what + ": " + much + "}", keys: []key{
		need("node", text, "which node"),
		need(what, text, "how much is used: `"+much+"`"),
	}}
}

// Claims and marks.
var (
	aboutKeys = []key{
		may("objects", of(objectsForm), "objects, in their state at that time: [objects](#objects)"),
		may("event", of(eventForm), "Kubernetes Events: [event](#event)"),
		may("events", of(matchForm), "events of the run, as the event log shows them: [a match](#match)"),
		may("order", listOf(of(matchForm)), "a list of [matches](#match), which must happen one after the other"),
		may("output", oneOrList(text), "a text, or a list of texts, that the output of the last command contains"),
		may("count", text, "how many: `8`, `\"<= 3\"`, `\"!= 0\"`; in a claim about a what-if, `\"> real\"` compares with the real run"),
	}
	claimForm = &form{name: "claim", what: "a claim", example: "{after: up, within: 10s, objects: {…}, count: 8}", keys: join([]key{
		may("in", text, "the id of the [what-if](#what-if) that the claim is about"),
		may("after", text, "the id of the step from which time counts; by default the end of the setup"),
		may("within", duration, "how long it can take to become true; only what happens within this time is counted. Required, except with `stays`"),
		may("stays", yes, "`true`: once it is true, it must stay true until the demo ends"),
		may("always", yes, "`true`: it must be true at every moment of `within`"),
		may("before", listOf(of(matchForm)), "a list of [matches](#match): the first event of each must happen before the first event of the next"),
	}, aboutKeys)}
	objectsForm = &form{name: "objects", what: "objects", example: "{resource: pods, labels: app=web, fields: {status.phase: Running}}", keys: []key{
		need("resource", resources, "which resource"),
		may("namespace", text, "in which namespace; by default any"),
		may("name", text, "`web`, or `web-*`"),
		may("labels", text, "a selector: `app=web,tier!=db`"),
		may("fields", texts, "the values that fields must have: `{status.phase: Running}`, `\">= 3\"`; paths look like `spec.containers.0.image` and `status.conditions[Ready].status`"),
	}}
	eventForm = &form{name: "event", what: "event", example: "{reason: Scheduled, object: pod/web-*}", keys: []key{
		may("reason", text, "`Scheduled`"),
		may("type", text, "`Normal` or `Warning`"),
		may("object", text, "`pod/web-*`"),
		may("message", text, "`\"Scaled up*\"`; a `*` at the beginning or the end matches anything"),
	}}
	matchForm = &form{name: "match", what: "an event", example: "{op: log, attrs: {message: Too few replicas}}", filled: true, keys: []key{
		may("op", oneOfThese(trace.OpNames()...), "the kind of event: `store.commit`, `request.send`, `log`"),
		may("who", text, "the component: `replicaset-controller`, `kubelet/*`"),
		may("object", text, "`pods default/web-*`"),
		may("attrs", texts, "the values that the event must have: `{message: Too few replicas}`, `{need: \">= 2\"}`"),
	}}
	markForm = &form{name: "mark", what: "a mark", example: "{id: too-few, after: up, when: {…}, caption: {…}}", keys: []key{
		need("id", text, "its name; `demo:DEMO@ID` links to it"),
		may("after", text, "the id of the step from which time counts; by default the end of the setup"),
		may("when", of(matchForm), "the first event that matches: [a match](#match)"),
		may("nth", whole(1, math.MaxInt32), "which of the matching events it is, if not the first"),
		may("at", duration, "instead of `when`: how long after the step"),
		may("focus", oneOrList(text), "what the picture shows from this moment on, as `focus` of the demo; requires `when`"),
		need("caption", texts, "what readers see at that moment, in each of the book's languages. "+
			`The script acts, and the reader only watches: write "web is scaled", not "you scale web"`),
	}}
)

// Controls.
var (
	controlForm = &form{name: "control", what: "a control", example: "scale: {replicaset: web, min: 0, max: 12}", keys: join(
		[]key{may("label", texts, "the button's text, in each of the book's languages, if you don't want the default")}, offers)}
	scaleControlForm = &form{name: "scale-control", what: aboutWhat, example: "{replicaset: web, min: 0, max: 12}", object: true, keys: []key{
		need("min", whole(0, maxReplicas), "the smallest number of replicas"),
		need("max", whole(0, maxReplicas), "the largest number of replicas"),
	}}
	deleteControlForm = &form{name: "delete-control", what: aboutWhat, example: "{pod: web-*}", object: true}
	loadControlForm   = &form{name: "load-control", what: aboutWhat, example: "{deployment: web, max: 4000m}", object: true, keys: []key{
		need("max", text, "the highest CPU load: `4000m`"),
	}}
	kubectlForm = &form{name: "kubectl-control", what: "a kubectl control", example: "{examples: [get pods, scale deployment web --replicas=5]}", keys: []key{
		need("examples", listOf(text),
			"command lines to suggest; readers can also type any others, and use `-f` with any manifest of the file, or write one in an editor"),
	}}
)

// What-ifs: the keys are cluster.SwitchKinds.
var (
	whatIfForm = &form{name: "what-if", what: "a counterfactual", example: "{id: forgetful, label: {…}, text: {…}, without-expectations: replicaset-controller}",
		keys: []key{
			need("id", text, "its name, which claims use (`in: forgetful`)"),
			need("label", texts, "what it is called, in each of the book's languages"),
			need("text", texts, "what is different, in one sentence, in each of the book's languages"),
			may(string(cluster.WithoutExpectations), either(text, of(forgetForm)),
				"a controller that does not remember what it has requested, optionally [with a late cache](#without-expectations)"),
			may(string(cluster.EdgeTriggered), text, "a controller that acts on events instead of on the current state"),
			may(string(cluster.StaleCache), of(staleForm), "[a cache](#stale-cache) that is late or stops updating"),
			may(string(cluster.BrokenWatch), of(brokenForm), "[a watch](#broken-watch) that breaks without the client noticing"),
			may(string(cluster.KilledMidBatch), of(killedForm), "[a component](#killed-mid-batch) that is killed between two requests"),
			may(string(cluster.NoBackOff), text, "a component that retries immediately: a controller, kube-scheduler or kubelet"),
		}}
	forgetForm = &form{name: "without-expectations", what: "without-expectations", example: "{component: replicaset-controller, late: 20ms}", keys: []key{
		need("component", text, "which component"),
		may("resource", resources, "the resource whose cache is late; by default all"),
		may("late", duration, "how late the cache is"),
	}}
	staleForm = &form{name: "stale-cache", what: "stale-cache", example: "{component: replicaset-controller, resource: pods, late: 2s}", keys: []key{
		need("component", text, "which component"),
		may("resource", resources, "of which resource; by default all"),
		may("late", duration, "how late the cache is"),
		may("for", duration, "or how long it stops updating"),
		may("after", text, "the id of the step after which this begins"),
		may("at", moment, "and how long after that step"),
	}}
	brokenForm = &form{name: "broken-watch", what: "broken-watch", example: "{client: replicaset-controller, resource: pods, after: up, at: 2s}", keys: []key{
		need("client", text, "the component whose watch breaks"),
		may("resource", resources, "of which resource; by default all"),
		may("after", text, "the id of the step after which it breaks; without this and `at`, it breaks when a fault breaks it"),
		may("at", moment, "and how long after that step"),
	}}
	killedForm = &form{name: "killed-mid-batch", what: "killed-mid-batch", example: "{component: replicaset-controller, create: 3, after: up, restart: 5s}",
		keys: []key{
			need("component", text, "which component"),
			need("create", whole(1, math.MaxInt32), "the component is killed before this create request, counted from 1"),
			may("resource", resources, "which resource the requests create (pods)"),
			may("after", text, "the id of the step from which the requests are counted"),
			may("at", moment, "and how long after that step"),
			may("restart", duration, "how long until it is started again"),
		}}
)

// Exercises.
var (
	exerciseForm = &form{name: "exercise", what: "an exercise", example: "{id: five, task: {…}, goal: {…}, answer: […]}", keys: []key{
		need("id", text, "its name; a chapter shows the exercise with a ` ```exercise ` block that contains DEMO/ID"),
		need("task", texts, "what to do, in each of the book's languages; plain text"),
		may("from", text, "the moment at which it begins: a step or mark, and how long after it: `up`, `too-few+2s`, `+8s`. *Start* leads there; without `from`, to where the `answer` begins"),
		need("goal", oneOrList(of(conditionForm)), "what must be true: [a condition](#condition), or a list of conditions that are all true at the same moment"),
		may("never", oneOrList(of(conditionForm)), "what must never be true after the reader's first input"),
		may("holds", duration, "how long the whole goal must stay true"),
		may("within", duration, "how soon after the reader's first input the goal must be reached"),
		may("predict", listOf(of(optionForm)), "makes the exercise a question, with these [options](#option); the goal proves that the right one is right"),
		may("hints", listOf(of(hintForm)), "[hints](#hint), shown one at a time"),
		may("answer", listOf(of(answerForm)), "[steps](#answer) that reach the goal; the build runs them"),
		may("wrong", listOf(listOf(of(answerForm))), "a list of answers that must not reach the goal; use them to make each hint's condition true"),
	}}
	conditionForm = &form{name: "condition", what: "a condition", example: "{objects: {…}, count: 5}", keys: join(
		[]key{may("text", texts, "the condition's text in the list that shows which conditions are met, in each of the book's languages")}, aboutKeys)}
	optionForm = &form{name: "option", what: "an option", example: "{text: {…}, right: true, why: {…}}", keys: []key{
		need("text", texts, "its text, in each of the book's languages"),
		may("right", yes, "`true` for the right option"),
		need("why", texts, "why it is right or wrong, in each of the book's languages"),
	}}
	hintForm = &form{name: "hint", what: "a hint", example: "{when: {…}, text: {…}}", keys: []key{
		may("when", oneOrList(of(conditionForm)), "[a condition](#condition) or a list of them: the hint is shown only while they are true; by default always"),
		need("text", texts, "its text, in each of the book's languages"),
	}}
)

func join(lists ...[]key) (out []key) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}
