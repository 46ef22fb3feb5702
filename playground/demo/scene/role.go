package scene

// Form says how a box is drawn and where its texts stand: see the package comment.
type Form string

// The forms. The first four are those of roles, in the pictures of thousands of Pods.
// The others are larger, and stand in Shape.Form.
const (
	FormFrame Form = "frame"
	FormLabel Form = "label"
	FormChip  Form = "chip"
	FormBar   Form = "bar"

	FormPanel  Form = "panel"  // somebody with a name
	FormText   Form = "text"   // words without a box
	FormNumber Form = "number" // a large number, and above it what it counts
	FormTile   Form = "tile"   // a thing with a name
	FormPill   Form = "pill"   // a key; of a packet: words that travel
)

// marksComponent tells the forms of boxes that are marked when the newest event is
// about their component as a whole.
func (f Form) marksComponent() bool { return f != FormChip && f != FormTile && f != FormPill }

// Layers, by Shape.Z.
const (
	LayerWires   = 0
	LayerFrames  = 1
	LayerParts   = 2 // labels, bars, and the places in a frame that chips sit in
	LayerChips   = 3
	LayerPackets = 4
)

// Role is what a shape stands for. The set is closed; the style sheet
// (site/widgets/picture/scene.css) knows every one. Behind each stand its states.
type Role = string

// The roles.
const (
	RoleAPIServer  = "apiserver"  // frame: running, down, cut (no packet gets through), failing, slow
	RoleStore      = "store"      // frame: (none), failing, slow
	RoleUser       = "user"       // frame
	RoleController = "controller" // frame: as the API server's
	RoleScheduler  = "scheduler"  // frame: as the API server's
	RoleNode       = "node"       // frame: ready, not-ready, down, cut, failing, slow (of what runs there)

	RoleMinor     = "minor"      // chip: a controller in brief. As a controller's frame
	RoleLabel     = "label"      // label
	RoleNodes     = "nodes"      // cells: nodes that are too many to have a frame each
	RoleMeter     = "meter"      // bar: what there is
	RoleMeterFill = "meter-fill" // bar: how much of it Pods asked for. (none), full

	RoleWorker   = "worker"    // chip: idle, busy
	RoleWorkload = "workload"  // chip: settled, changing
	RolePod      = "pod"       // chip: see the Pod states
	RoleGhost    = "ghost"     // chip: a Pod that the scheduler assumes on a node. assumed
	RoleQueueKey = "queue-key" // chip: queued, delayed, processing; dirty is a sketch of where a key that is being processed will be queued again
	RoleRevision = "revision"  // chip: added, modified, deleted, compacted
	RoleVerdict  = "verdict"   // chip: fits, rejected

	RoleNumber      = "number"      // a large number and what it counts
	RolePlace       = "place"       // one of the Pods that a controller wants. there, asked (it waits to see it), missing, surplus, leaving (the same, gone)
	RoleDifference  = "difference"  // words: settled, missing, surplus
	RoleExpects     = "expects"     // words: what a controller waits to see
	RoleSays        = "says"        // words: what a worker logged. (none), past
	RoleSet         = "set"         // one of a queue's three sets: empty, holds
	RoleStep        = "step"        // a step of the scheduler's cycle: later, now, done
	RolePhase       = "phase"       // a phase of a write in the API server: later, now, passed, refused
	RoleNote        = "note"        // words, with the state of what they are about: what a phase made of a write, a revision's key, how far somebody has got
	RoleHistory     = "history"     // what somebody holds of the store's history: keeps; knows, coming, unwatched, refused, listed
	RoleGraphNode   = "graph-node"  // an object in the collector's graph: known, virtual (no informer has shown it), absent (only references tell of it), deleting
	RoleOwner       = "owner"       // line: from an object to its owner. free, blocks (blockOwnerDeletion), waits (the owner, for it), dangling (it is not there)
	RoleScoreBar    = "score-bar"   // how good a node is, of the best: (none), chosen
	RoleRules       = "rules"       // what kube-proxy has written on a node. As a controller's frame
	RoleRule        = "rule"        // an address behind a Service: open, chosen; or rejected
	RoleEndpoint    = "endpoint"    // words: an address in an EndpointSlice. ready, waiting
	RoleDestination = "destination" // words: where a packet goes: (none), now (what the rules made of it)
	RoleNewest      = "newest"      // words: what was written last
	RoleHint        = "hint"        // words: what a wire is
	RoleTake        = "take"        // line: from the queue to who takes from it

	RoleFault   = "fault"   // chip: at a wire. cut, failing, slow
	RoleRoute   = "route"   // line: the way of a packet between machines
	RoleWire    = "wire"    // line: (none), watching, unwatched (one of its watches is gone), down, cut
	RoleRequest = "request" // packet: good, quiet; in views of one part who sent it: controller, scheduler, node, user, other, api, packet
	RoleReply   = "reply"   // packet: good, error, quiet; api
	RoleWatch   = "watch"   // packet: good, error, quiet; api
)

// FormOf tells a shape's form. Lines have none, and packets only if it is a pill.
func FormOf(s *Shape) Form {
	if s.Form != "" {
		return Form(s.Form)
	}
	switch s.Role {
	case RoleAPIServer, RoleStore, RoleUser, RoleController, RoleScheduler, RoleNode:
		return FormFrame
	case RoleLabel:
		return FormLabel
	case RoleMeter, RoleMeterFill:
		return FormBar
	}
	return FormChip
}

// States of a Pod, from created to gone. What its node's container runtime
// does counts before what the API knows: the kubelet has yet to report it.
const (
	PodPending       = "pending"       // no node yet
	PodUnschedulable = "unschedulable" // no node fits
	PodScheduled     = "scheduled"     // bound; the kubelet has not begun
	PodPulling       = "pulling"       // an image of it is being pulled
	PodStarting      = "starting"      // sandbox and containers are being made
	PodRunning       = "running"       // containers run; not reported ready
	PodReady         = "ready"         // its Ready condition is True
	PodTerminating   = "terminating"   // it has a deletion timestamp
	PodSucceeded     = "succeeded"
	PodFailed        = "failed"
	PodLost          = "lost"    // its node is down: what it does, nobody knows
	PodInit          = "init"    // its init containers run
	PodWaiting       = "waiting" // a container waits to be tried again: CrashLoopBackOff, ImagePullBackOff, a Secret that is missing
)

// marks are the signs that stand before a title, by state.
var marks = map[string]string{
	PodPending: "○", PodUnschedulable: "✕", PodScheduled: "◔", PodPulling: "↓", PodStarting: "◑",
	PodRunning: "◕", PodReady: "●", PodTerminating: "×", PodSucceeded: "✓", PodFailed: "!", PodLost: "?", PodInit: "◔", PodWaiting: "↻",
	"assumed": "◌",
	"queued":  "", "delayed": "◷", "processing": "", "dirty": "↻",
	"added": "+", "modified": "~", "deleted": "−", "compacted": "",
	"fits": "✓", "rejected": "✕",
	"keeps": "▪", "knows": "●", "coming": "◑", "unwatched": "↯", "listed": "≡",
	"passed": "✓", "refused": "✕", "later": "○", "now": "▸",
	"virtual": "?", "absent": "✕", "deleting": "×",
	"down":    "✕",
	"cut":     "↮",
	"failing": "↯",
	"slow":    "◷",
	"settled": "=", "changing": "≠",
}
