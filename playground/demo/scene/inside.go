package scene

import (
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// inside is what a controller knows and what it is doing, as far as its events tell.
type inside struct {
	name     string
	versions map[string][]metav1.Object          // resource + " " + key → what was in the store, from what its cache has on
	seen     map[string]map[string]metav1.Object // resource → key → the object as its cache has it
	subject  string                              // the key that a worker took last
	expects  map[string]expectation              // by key
	logged   words                               // what a worker logged last
	synced   map[string]bool                     // resources of which a list has filled its cache
	orphan   string                              // key of the Deployment without an owner that a handler of the sample controller looked at last
	// deployments are those that custom objects controlled when the picture last looked, by the objects' keys.
	deployments map[string]string
}

// expectation is what a controller has asked for and not seen yet
// (pkg/controller/controller_utils.go, ControllerExpectations).
type expectation struct{ add, del int }

func newInside(name string) inside {
	return inside{name: name, versions: map[string][]metav1.Object{}, seen: map[string]map[string]metav1.Object{}, expects: map[string]expectation{},
		deployments: map[string]string{}, synced: map[string]bool{}}
}

// follow takes note of an event; it tells whether that changed anything.
func (in *inside) follow(e *trace.Event) (changed bool) {
	for _, d := range e.Deltas {
		c := d.Cell
		switch {
		case c.Kind == trace.CellObject:
			if o, ok := d.New.(metav1.Object); ok {
				at := c.Owner + " " + c.Key
				in.versions[at] = append(in.versions[at], o)
			}
		case c.Kind == trace.CellCache && strings.HasPrefix(c.Owner, in.name+"/"):
			in.cached(c.Owner[len(in.name)+1:], c.Key, d.New)
			changed = true
		case c.Kind == trace.CellComponent && c.Owner == in.name:
			in.expects, in.logged, in.synced, in.orphan = map[string]expectation{}, words{}, map[string]bool{}, ""
			changed = true
		}
	}
	if e.Component != in.name {
		return changed
	}
	switch e.Op {
	case trace.CacheReplace:
		in.synced[e.Text("resource")] = true
		return true
	case trace.QueueGet:
		in.subject, in.orphan = e.Text("key"), ""
		return true
	case trace.Log:
		if key := e.Text("object"); in.name == sampleController && e.Text("message") == "Processing object" {
			in.orphan = ""
			if o := in.seen["deployments"][key]; o != nil && metav1.GetControllerOf(o) == nil {
				in.orphan = key
			}
			return true
		}
		if text, ok := e.Get("expectations").(string); ok {
			return in.expect(text)
		}
		if strings.HasPrefix(e.Process, "worker") {
			in.logged = plain(logLine(e))
			return true
		}
	}
	return changed
}

// cached notes that the cache has an object in a version, or no more.
func (in *inside) cached(resource, key string, v any) {
	at := resource + " " + key
	version, there := v.(string)
	set(in.seen, resource, key, nil, false)
	if !there {
		return
	}
	list := in.versions[at]
	for i, o := range list {
		if o.GetResourceVersion() == version {
			in.versions[at] = list[i:]
			set(in.seen, resource, key, o, true)
			return
		}
	}
}

// expect reads what a controller logs about its expectations: "add 2, del 0, key default/web".
func (in *inside) expect(text string) bool {
	key, now := "", expectation{}
	for _, part := range strings.Split(text, ", ") {
		name, value, _ := strings.Cut(part, " ")
		n, _ := strconv.Atoi(value)
		switch name {
		case "add":
			now.add = max(0, n)
		case "del":
			now.del = max(0, n)
		case "key":
			key = value
		}
	}
	if key == "" || in.expects[key] == now {
		return false
	}
	in.expects[key] = now
	return true
}

// logLine is a log line as its author wrote it, with the numbers that it gives: "Too few replicas need=8 creating=5".
func logLine(e *trace.Event) string {
	out := e.Text("message")
	for _, a := range e.Attrs {
		if n, ok := a.Value.(int64); ok && a.Key != "v" {
			out += " " + a.Key + "=" + count(n)
		}
	}
	return out
}

// goal is what a controller compares: how many Pods an object asks for, and how many there are. Of a custom object it is how many
// replicas it asks for, and how many its Deployment does.
type goal struct {
	known    bool // there is such an object in its cache
	name     string
	resource string
	want     int
	have     int
	expectation
}

// goals are the resources that ask for a number of Pods, by the controller that sees to it.
var goals = map[string]string{"replicaset-controller": "replicasets", "statefulset-controller": "statefulsets",
	sampleController: "foos.samplecontroller.k8s.io", websiteOperator: "websites.web.example.com"}

// These see to a custom kind whose objects have Deployments.
const (
	sampleController = "sample-controller"
	websiteOperator  = "website-operator"
)

// hasOwnKind tells whether a controller is one of those.
func hasOwnKind(name string) bool { return name == sampleController || name == websiteOperator }

// kinds are the same as people call one of them.
var kinds = map[string]string{"replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "foos.samplecontroller.k8s.io": "Foo", "websites.web.example.com": "Website"}

// about is the object on which a worker works, or worked last, or else the first that the cache has of those with a goal; "" without.
func (in *inside) about() string {
	if all := sortedKeys(in.seen[goals[in.name]]); in.subject == "" && len(all) > 0 {
		return all[0]
	}
	return in.subject
}

// goal is that of the object that the controller is about. It is made of what is in its cache, which may be older than what is in the store.
func (in *inside) goal() goal {
	subject := in.about()
	g := goal{resource: goals[in.name], name: subject, expectation: in.expects[subject]}
	var owner metav1.Object
	switch o := in.seen[g.resource][subject].(type) {
	case *appsv1.ReplicaSet:
		owner, g.want = o, int(or(o.Spec.Replicas, 1))
	case *appsv1.StatefulSet:
		owner, g.want = o, int(or(o.Spec.Replicas, 1))
	case *api.Unstructured:
		want, _ := numberOf(o, "spec", "replicas")
		g.known, g.want = true, int(want)
		if d, ok := in.seen["deployments"][in.owned(o)].(*appsv1.Deployment); ok {
			g.have = int(or(d.Spec.Replicas, 1))
		}
		return g
	default:
		return g
	}
	g.known = true
	for _, o := range in.seen["pods"] { // order: it counts
		if p, ok := o.(*corev1.Pod); ok && counts(p, owner) {
			g.have++
		}
	}
	return g
}

// owned is the key of the Deployment that an object controls, as far as the cache knows; "" for none.
func (in *inside) owned(owner metav1.Object) string {
	for _, key := range sortedKeys(in.seen["deployments"]) {
		if metav1.IsControlledBy(in.seen["deployments"][key], owner) {
			return key
		}
	}
	return ""
}

// deployment is the key of the Deployment that the sample controller is about, and whether it is that of the object on which a worker works, or
// worked last. It outlives that object. Another one has its name, or has no owner and was looked at by a handler since.
func (in *inside) deployment() (key string, own bool) {
	if in.orphan != "" {
		return in.orphan, false
	}
	owner, _ := in.seen[goals[in.name]][in.subject].(*api.Unstructured)
	if owner == nil {
		return in.deployments[in.subject], true
	}
	if in.deployments[in.subject] = in.owned(owner); in.deployments[in.subject] != "" {
		return in.deployments[in.subject], true
	}
	spec, _ := owner.Fields["spec"].(map[string]any)
	name, _ := spec["deploymentName"].(string)
	return owner.Namespace + "/" + name, false
}

// counts tells whether a Pod is one of an owner's that are neither finished nor being deleted:
// FilterActivePods in pkg/controller/controller_utils.go.
func counts(p *corev1.Pod, owner metav1.Object) bool {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed || p.DeletionTimestamp != nil {
		return false
	}
	for _, ref := range p.OwnerReferences {
		if ref.UID == owner.GetUID() && ref.Controller != nil && *ref.Controller {
			return true
		}
	}
	return false
}
