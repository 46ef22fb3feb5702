package trace

// Op says what kind of thing an event is. The set is closed: the drawing, the
// event log and both languages' phrases know every one of them.
type Op string

// LostPower is the reason for which what ran on a machine is gone when its power is cut. The phrases know it.
const LostPower = "the machine lost power"

// The attributes that an op always carries are named behind it.
const (
	// The world.
	Input          Op = "input"           // somebody outside did something. kind, and what that kind needs
	ComponentStart Op = "component.start" // a process of the control plane or a node came up
	ComponentStop  Op = "component.stop"  // it is gone; reason, which may be LostPower. All cells that it owned go with it
	Log            Op = "log"             // a component logged. message, v (verbosity), error (only for errors), and what was logged

	// Requests. A request is one message to the API server and one back.
	RequestSend Op = "request.send" // at the client. request, verb, path; generateName when the server is to choose the name
	// at the API server. request, verb, path, user; generateName as above; of a list that asks for a revision also resourceVersion
	RequestReceive Op = "request.receive"
	// at the API server. request, verb, path, code, reason; of a list also revision, the one that it shows; of a write also changed
	// (the admission plugins that changed its object), annotations (those that policies give its audit event) and, when it was refused,
	// phase, plugin (of admission) and message
	RequestReply Op = "request.reply"
	RequestDone  Op = "request.done" // at the client. request, verb, path, code, reason
	// AdmissionCall is before the API server asks a webhook about a request. request, verb, path, user, phase, webhook
	AdmissionCall Op = "admission.call"

	// The store.
	StoreCommit  Op = "store.commit"  // a new revision. revision, type (ADDED, MODIFIED, DELETED)
	StoreCompact Op = "store.compact" // history before a revision was dropped. revision
	// Summary stands for the commits where there are too many for one event each (level Totals). nodes, nodesReady, pods,
	// pending, starting, ready, notReady, terminating, finished; of the last second: created, bound, started, deleted, commits
	Summary Op = "summary"

	// Watches. One message for each event sent.
	WatchOpen    Op = "watch.open"    // at the API server. watch, resource, client, revision
	WatchSend    Op = "watch.send"    // at the API server. watch, client, type, revision
	WatchReceive Op = "watch.receive" // at the client. watch, type, revision
	WatchClose   Op = "watch.close"   // either side. watch, resource, client, reason

	// Informers.
	CacheReplace Op = "cache.replace" // the result of a list replaced the cache. resource, count, revision
	CacheSet     Op = "cache.set"     // resource, type (ADDED, MODIFIED), revision
	CacheDelete  Op = "cache.delete"  // resource, revision

	// Work queues. The queue's name is in attribute queue, the key in attribute key.
	QueueAdd   Op = "queue.add"   // queue, key; outcome: queued, merged (was waiting already) or dirty (is being processed)
	QueueGet   Op = "queue.get"   // a worker took it. queue, key; failures when it was rate-limited before
	QueueDone  Op = "queue.done"  // queue, key; again when it was dirty
	QueueDelay Op = "queue.delay" // it will be added later. queue, key, after; failures when it was rate-limited

	// The scheduler.
	// a Pod moved between the scheduler's queues. from, to, event; hint and plugin when a plugin's hint moved it; rejectors in unschedulablePods, until
	// and failures in backoffQ
	SchedulingQueue Op = "scheduling.queue"
	SchedulingPop   Op = "scheduling.pop" // a scheduling cycle took it. attempts
	NodeFilter      Op = "node.filter"    // node, fits; plugin and reason when it does not
	NodeScore       Op = "node.score"     // node, score; each plugin's part by its name
	PodAssume       Op = "pod.assume"     // the scheduler's cache acts as if it were bound. node
	PodForget       Op = "pod.forget"     // the assumption was taken back. node, reason

	// Nodes. Component is the node's container runtime: "containerd/node-1".
	SandboxStart   Op = "sandbox.start"   // sandbox
	SandboxStop    Op = "sandbox.stop"    // sandbox
	ImagePullStart Op = "image.pull"      // image
	ImagePulled    Op = "image.pulled"    // image, took
	ContainerMade  Op = "container.made"  // container
	ContainerStart Op = "container.start" // container
	ContainerKill  Op = "container.kill"  // container, grace: SIGTERM was sent
	ContainerExit  Op = "container.exit"  // container, code

	// The network. request numbers the packets of one question and its answer; a node's part is its packet filter
	// ("netfilter/node-1"), whatever happens at no machine is the network's.
	NetRequest   Op = "net.request"   // a program asks for something. request, from, method, url
	NetSend      Op = "net.send"      // a packet is on its way. request, packet, from, to, source, destination, what
	NetReceive   Op = "net.receive"   // it is there. request, packet, from, to, what
	NetTranslate Op = "net.translate" // a node's rules changed the destination. request, node, before, after, chains, masquerade
	NetDrop      Op = "net.drop"      // rules or the wire ended it. request, destination, reason (REJECT, DROP, or words)
	NetDNS       Op = "net.dns"       // the name server answered. name, type, code (NOERROR, NXDOMAIN), answer
	NetClose     Op = "net.close"     // a node forgot a connection. request, node, before, after
	NetDone      Op = "net.done"      // the program knows. request, from, url; code and server, or failure
	NetRules     Op = "net.rules"     // kube-proxy wrote a node's rules. node, rules, services, changed
)

// PhaseAuthorization is before the phases: whoever asks may not do that, whether he reads or writes.
const PhaseAuthorization = "authorization"

// The phases of a request to write, in order: what attribute phase of RequestReply may say.
const (
	PhaseDecoding   = "decoding" // into an object with its defaults; a patch is merged here
	PhaseMutating   = "mutating admission"
	PhaseValidation = "validation"
	PhaseValidating = "validating admission"
	PhaseStore      = "store"
)

// Phases are those of a request to write, in order.
var Phases = []string{PhaseDecoding, PhaseMutating, PhaseValidation, PhaseValidating, PhaseStore}

var ops = []Op{
	Input, ComponentStart, ComponentStop, Log,
	RequestSend, RequestReceive, RequestReply, RequestDone, AdmissionCall,
	StoreCommit, StoreCompact, Summary,
	WatchOpen, WatchSend, WatchReceive, WatchClose,
	CacheReplace, CacheSet, CacheDelete,
	QueueAdd, QueueGet, QueueDone, QueueDelay,
	SchedulingQueue, SchedulingPop, NodeFilter, NodeScore, PodAssume, PodForget,
	SandboxStart, SandboxStop, ImagePullStart, ImagePulled,
	ContainerMade, ContainerStart, ContainerKill, ContainerExit,
	NetRequest, NetSend, NetReceive, NetTranslate, NetDrop, NetDNS, NetClose, NetDone, NetRules,
}

// Ops lists every op, in the order in which they are declared.
func Ops() []Op { return ops }

// OpNames is Ops as strings.
func OpNames() []string {
	out := make([]string, len(ops))
	for i, o := range ops {
		out[i] = string(o)
	}
	return out
}

// Known tells whether there is such an op.
func Known(o Op) bool {
	for _, k := range ops {
		if k == o {
			return true
		}
	}
	return false
}
