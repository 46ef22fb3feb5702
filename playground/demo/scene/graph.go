package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// collectorGraph is what the garbage collector has in memory, as far as it logs it: a node for each UID
// (pkg/controller/garbagecollector/graph_builder.go, uidToNode), the owners that it has found absent, and what its workers decide.
type collectorGraph struct {
	name       string // the component's
	nodes      map[string]*graphNode
	made       int               // nodes so far
	absent     []graphNode       // absentOwnerCache, the newest last
	finalizers map[string]string // UID → the finalizer of an object in the store for which it waits
	turns      map[string]*turn  // process → what it does, or did last
	newest     string            // the process that has last done something
}

// graphNode is an object in the graph, or one of which only references tell.
type graphNode struct {
	uid, group, kind, namespace, name string

	owners   []ownerReference
	virtual  bool // no informer has shown it
	deleting bool // it has a deletion timestamp
	waits    bool // for its dependents: it is being deleted in the foreground
	order    int  // when it was seen first, among the others
	joined   bool // it has, or had, an owner or a dependent
}

type ownerReference struct {
	kind, name, uid string
	blocks          bool // blockOwnerDeletion
}

// turn is an item that a worker has taken, and what it makes of it.
type turn struct {
	item       graphNode
	references string // "solid 0 · dangling 1 · waiting 0"
	decides    words
	isDone     bool
}

func newCollectorGraph(name string) collectorGraph {
	g := collectorGraph{name: name, finalizers: map[string]string{}}
	g.forget()
	return g
}

// forget is called when the collector starts or stops: its memory is gone.
func (g *collectorGraph) forget() {
	g.nodes, g.absent, g.turns, g.newest = map[string]*graphNode{}, nil, map[string]*turn{}, ""
}

// follow takes note of an event; it tells whether that changed anything.
func (g *collectorGraph) follow(e *trace.Event) (changed bool) {
	for _, d := range e.Deltas {
		switch c := d.Cell; {
		case c.Kind == trace.CellComponent && c.Owner == g.name:
			g.forget()
			changed = true
		case c.Kind == trace.CellObject:
			changed = g.stored(d) || changed
		case c.Kind == trace.CellWorker && c.Owner == g.name:
			if t := g.turns[c.Key]; t != nil && (d.New == nil || d.New == "") {
				t.isDone, changed = true, true
			}
		}
	}
	if e.Component != g.name {
		return changed
	}
	switch {
	case e.Op == trace.QueueGet && strings.Contains(e.Process, "-worker-"):
		g.turns[e.Process] = &turn{item: nodeOfKey(e.Text("key")), decides: said("scene.gc.reads")}
		if strings.HasPrefix(e.Process, "orphan-") {
			g.turns[e.Process].decides = said("scene.gc.orphan")
		}
		g.newest = e.Process
		return true
	case e.Op == trace.Log:
		return g.logged(e) || changed
	}
	return changed
}

// stored notes for which finalizer of the collector's an object in the store waits.
func (g *collectorGraph) stored(d trace.Delta) bool {
	for _, v := range []any{d.Old, d.New} {
		o, ok := v.(metav1.Object)
		if !ok {
			continue
		}
		uid := string(o.GetUID())
		before, now := g.finalizers[uid], ""
		for _, f := range o.GetFinalizers() {
			if f == metav1.FinalizerDeleteDependents || f == metav1.FinalizerOrphanDependents {
				now = f
			}
		}
		if d.New == nil {
			now = ""
		}
		if now == before {
			continue
		}
		if delete(g.finalizers, uid); now != "" {
			g.finalizers[uid] = now
		}
		return true
	}
	return false
}

// logged reads a line of the collector's log.
func (g *collectorGraph) logged(e *trace.Event) bool {
	switch e.Text("message") {
	case "GraphBuilder process object":
		n := identified(e.Text("object"))
		if e.Text("eventType") == "delete" {
			if dependents, _ := e.Get("dependents").(int64); dependents > 0 { // they may ask for it
				g.isAbsent(n)
			}
			delete(g.nodes, n.uid)
			return true
		}
		n.owners = ownersOf(e.Text("owners"))
		n.virtual, n.deleting, n.waits = e.Text("virtual") == "true", e.Text("beingDeleted") == "true", e.Text("deletingDependents") == "true"
		g.put(n)
		return true
	case "add virtual item":
		n := identified(e.Text("identity"))
		n.virtual = true
		g.put(n)
		return true
	case "item is known by other coordinates too, looking those up":
		n := identified(e.Text("other"))
		n.virtual = true
		g.put(n)
		return true
	case "item's owner is not found", "item is absent, looking at its dependents":
		return g.isAbsent(identified(e.Text("owner")))
	}
	t := g.turns[e.Process]
	return t != nil && t.logged(e)
}

// logged reads a line of a worker's log.
func (t *turn) logged(e *trace.Event) bool {
	switch e.Text("message") {
	case "classify item's references":
		count := func(list string) string {
			if list = strings.Trim(list, "[]"); list == "" {
				return "0"
			}
			return number(strings.Count(list, ", ") + 1)
		}
		t.references = "solid " + count(e.Text("solid")) + " · dangling " + count(e.Text("dangling")) + " · waiting " +
			count(e.Text("waitingForDependentsDeletion"))
	case "Deleting item":
		t.decides = said("scene.gc.delete", e.Text("propagationPolicy"))
	case "at least one owner of item has FinalizerDeletingDependents, and the item itself has dependents, so it is going to be deleted in Foreground":
		t.decides = said("scene.gc.delete", "Foreground")
	case "item has at least one existing owner, will not garbage collect":
		t.decides = said("scene.gc.keep")
	case "item doesn't have an owner, continue on next item":
		t.decides = said("scene.gc.keep.free")
	case "adding dependent to attemptToDelete, because its owner is deletingDependents":
		t.decides = said("scene.gc.wait")
	case "remove DeleteDependents finalizer for item":
		t.decides = said("scene.gc.release")
	case "successfully updated all dependents":
		t.decides = said("scene.gc.release.orphan")
	case "item not found, generating a virtual delete event":
		t.decides = said("scene.gc.missing")
	case "processing item returned at once, because its DeletionTimestamp is non-nil":
		t.decides = said("scene.gc.already")
	case "error syncing item", "orphanDependents failed", "removeOrphanFinalizer failed":
		t.decides = said("scene.gc.failed")
	default:
		return false
	}
	return true
}

// put enters a node, or what is new of it.
func (g *collectorGraph) put(n graphNode) {
	if before := g.nodes[n.uid]; before != nil {
		n.order, n.joined = before.order, before.joined
	} else {
		g.made++
		n.order = g.made
	}
	n.joined = n.joined || len(n.owners) > 0
	g.nodes[n.uid] = &n
	for _, ref := range n.owners {
		if owner := g.nodes[ref.uid]; owner != nil {
			owner.joined = true
		}
	}
}

// isAbsent remembers an owner that is not there, once.
func (g *collectorGraph) isAbsent(owner graphNode) bool {
	if slices.ContainsFunc(g.absent, func(n graphNode) bool {
		return n.uid == owner.uid && n.name == owner.name && n.namespace == owner.namespace
	}) {
		return false
	}
	g.absent = append(g.absent, owner)
	return true
}

// identified reads an identity as it is logged: "[apps/v1/ReplicaSet, namespace: default, name: web, uid: …]".
func identified(identity string) (n graphNode) {
	for i, part := range strings.Split(strings.Trim(identity, "[]"), ", ") {
		key, value, _ := strings.Cut(part, ": ")
		switch {
		case i == 0:
			version, kind, isGrouped := strings.Cut(part, "/")
			if group := version; isGrouped && strings.Contains(kind, "/") {
				_, kind, _ = strings.Cut(kind, "/")
				n.group = group
			}
			n.kind = kind
		case key == "namespace":
			n.namespace = value
		case key == "name":
			n.name = value
		case key == "uid":
			n.uid = value
		}
	}
	return n
}

// nodeOfKey reads a key of a queue: "Pod default/web-x2k9p 0c1d…"; before it may stand what has happened: "virtual delete Pod …", and
// behind it a version, "@12".
func nodeOfKey(key string) (n graphNode) {
	fields := strings.Fields(key)
	if len(fields) < 3 {
		return n
	}
	fields = fields[len(fields)-3:]
	n.kind = fields[0]
	n.namespace, n.name, _ = strings.Cut(fields[1], "/")
	if n.name == "" {
		n.namespace, n.name = "", n.namespace
	}
	n.uid, _, _ = strings.Cut(fields[2], "@")
	return n
}

// ownersOf reads a node's owners as they are logged: "ReplicaSet web a84… (blocks), ConfigMap keeper 0c1…".
func ownersOf(text string) (out []ownerReference) {
	for _, one := range strings.Split(text, ", ") {
		if f := strings.Fields(one); len(f) >= 3 {
			out = append(out, ownerReference{kind: f[0], name: f[1], uid: f[2], blocks: len(f) > 3})
		}
	}
	return out
}

// about is the object for the event log: "pods default/web".
func (n *graphNode) about() string {
	name := strings.ToLower(n.kind)
	if n.group != "" {
		name += "." + n.group
	}
	kind := api.Resolve(name)
	if kind == nil {
		return ""
	}
	return trace.Ref{Resource: kind.Resource, Namespace: n.namespace, Name: n.name}.String()
}

// tree is an object with the dependents that are drawn below it. A node with several owners stands below the first.
type tree struct {
	*graphNode
	isAbsent   bool // only references tell of it
	dependents []*tree
}

// trees are what is drawn of the graph, in the order in which the collector saw their owners: objects that have, or had, an
// owner or a dependent, or that are on their way out. What the cluster needs for itself is left out.
func (g *collectorGraph) trees() (roots []*tree, others int) {
	all := map[string]*tree{}
	for uid, n := range g.nodes { // order: it only enters
		all[uid] = &tree{graphNode: n}
	}
	for _, n := range g.nodes { // order: the same owner, whoever names it
		for _, ref := range n.owners {
			if all[ref.uid] == nil {
				all[ref.uid] = &tree{graphNode: &graphNode{uid: ref.uid, kind: ref.kind, name: ref.name, namespace: n.namespace, joined: true}, isAbsent: true}
			}
		}
	}
	sorted := make([]*tree, 0, len(all))
	for _, t := range all { // order: sorted below
		sorted = append(sorted, t)
	}
	slices.SortFunc(sorted, func(a, b *tree) int {
		if a.order != b.order {
			return a.order - b.order
		}
		return strings.Compare(a.uid, b.uid)
	})
	isBelow := map[string]bool{}
	for _, t := range sorted {
		if len(t.owners) == 0 || all[t.owners[0].uid].isWithin(t, 0) {
			continue
		}
		owner := all[t.owners[0].uid]
		owner.dependents = append(owner.dependents, t)
		isBelow[t.uid] = true
		if owner.isAbsent && owner.order == 0 { // it stands where its first dependent would
			owner.order = t.order
		}
	}
	for _, t := range sorted {
		switch {
		case isBelow[t.uid]:
		case strings.HasPrefix(t.namespace, "kube-") || t.kind == "Node":
			others += t.size()
		case t.joined || t.deleting || t.virtual || g.finalizers[t.uid] != "":
			roots = append(roots, t)
		default:
			others++
		}
	}
	slices.SortStableFunc(roots, func(a, b *tree) int { return a.order - b.order })
	return roots, others
}

// isWithin tells whether a tree is part of another, as when owners go around in a circle.
func (t *tree) isWithin(other *tree, depth int) bool {
	if t == other || depth > 100 {
		return true
	}
	return slices.ContainsFunc(other.dependents, func(d *tree) bool { return t.isWithin(d, depth+1) })
}

func (t *tree) size() int {
	n := 1
	for _, d := range t.dependents {
		n += d.size()
	}
	return n
}
