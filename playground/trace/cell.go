package trace

import "time"

// Cell names one piece of visible state. Owner is the component (or the queue,
// or the node) it belongs to; Key tells its siblings apart.
type Cell struct {
	Kind  CellKind
	Owner string
	Key   string
}

// CellKind is the table that a cell is a row of. The set is closed.
type CellKind string

// What Owner, Key and the value are, for each kind.
const (
	CellComponent  CellKind = "component"  // owner: component.               value: "running"; gone when it is down
	CellRevision   CellKind = "revision"   // owner: "store".                 value: int64, the newest
	CellCount      CellKind = "count"      // owner: nodes or pods, key: what is counted. value: int64; at level Totals
	CellNodeCount  CellKind = "nodecount"  // owner: zone, key: node.         value: NodeCount; at level Totals
	CellCompacted  CellKind = "compacted"  // owner: "store".                 value: int64, the oldest that can be watched from
	CellObject     CellKind = "object"     // owner: resource, key: ns/name.  value: the object (immutable)
	CellMessage    CellKind = "message"    // key: its number.                value: Message, while it is on its way
	CellWatch      CellKind = "watch"      // owner: client, key: its number. value: the resource, while it is open
	CellCache      CellKind = "cache"      // owner: component/resource, key: ns/name. value: string, the resourceVersion seen
	CellSynced     CellKind = "synced"     // owner: component/resource.      value: true once the first list is in the cache
	CellQueue      CellKind = "queue"      // owner: queue, key: item.        value: QueueItem
	CellWorker     CellKind = "worker"     // owner: component, key: process. value: string, the key it works on; "" when idle
	CellScheduling CellKind = "scheduling" // owner: activeQ, backoffQ, unschedulablePods or inFlight; key: ns/name. value: string, why
	CellVerdict    CellKind = "verdict"    // owner: ns/name of the Pod, key: node. value: string: "fits", "score 63", "Insufficient cpu"
	CellAssumed    CellKind = "assumed"    // owner: node, key: ns/name.      value: true
	CellSandbox    CellKind = "sandbox"    // owner: node, key: ns/name.      value: string: starting, ready, stopping
	CellImage      CellKind = "image"      // owner: node, key: image.        value: string: pulling, present
	CellContainer  CellKind = "container"  // owner: node, key: ns/name/container. value: string: created, running, stopping, exited
	CellPacket     CellKind = "packet"     // owner: "network", key: its number. value: Packet, while it is on its way
	CellForward    CellKind = "forward"    // owner: netfilter/NODE, key: "10.96.0.10:80/tcp". value: string, the addresses behind it; "REJECT" for none
	CellConnection CellKind = "connection" // owner: netfilter/NODE, key: client and destination. value: string, what the destination was changed to
	// owner: another cluster, which has a store and a trace of its own; key: node, or node/ns/name. value: string, the state of the Node
	// (Ready, NotReady, or Up: there is a machine and no Node) or of the Pod there (its phase, Ready, Terminating)
	CellElsewhere CellKind = "elsewhere"
	// owner: component or node, with "fault/" in front, key: partition, slow or fail. value: string, how much; "" with partition
	CellFault CellKind = "fault"
)

// NodeCount is what is counted of a node, instead of its objects.
type NodeCount struct {
	Ready, Cordoned bool
	Pods            int // bound to it, unless they have ended
	Changing        int // of them are not ready yet, or being deleted
	Most            int // it takes
}

// Message is something on its way between two components.
type Message struct {
	Kind     string // "request", "reply" or "watch"
	From, To string // components
	Label    string // "POST pods", "201", "ADDED web-x2k9p"
	Good     bool   // false for a reply that is an error and for a closed watch
	Sent     time.Duration
	Arrives  time.Duration
}

// QueueItem is what a work queue holds of one key. The three sets are those of
// upstream's client-go/util/workqueue/queue.go.
type QueueItem struct {
	Position   int  // 0 is next; -1 when it does not wait in the queue
	Dirty      bool // has to be processed
	Processing bool // a worker has it
	// Delayed is when it will be added, for an item that waits for its time; 0 otherwise.
	Delayed  time.Duration
	Failures int // how often in a row it was rate-limited
}

// Packet is something on its way between machines.
type Packet struct {
	From, To            string // nodes, components, "outside" or "nowhere"
	Source, Destination string // addresses
	Protocol            string // "tcp", "udp"
	Label               string // "GET /", "200", "A? web.default.svc.cluster.local"
	Good                bool   // false for an answer that is an error
	Sent, Arrives       time.Duration
}
