package daemonset

import (
	"slices"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// nodePods are a node and the DaemonSet's Pods that run on it, or were made for it.
type nodePods struct {
	name                             string
	node                             *corev1.Node // nil for one that is gone
	pods                             []*corev1.Pod
	shouldRun, shouldContinueRunning bool
}

// knownPods are the Pods of a DaemonSet during one sync, which asks for them three times, as long as none has changed.
type knownPods struct {
	changes int // podChanges when they were looked for
	nodes   []nodePods
}

// daemonPods are the Pods of a DaemonSet as of its last sync: the next one finds a new place for those alone that have changed.
type daemonPods struct {
	pods   []*corev1.Pod // in the order of their names
	byNode map[string][]*corev1.Pod
	// crowded are those of nodes with more than one, by name: whoever sorts them has a copy.
	crowded map[string][]*corev1.Pod
}

// getNodesToDaemonPods returns the nodes and those that Pods of the DaemonSet are left of, by name, with these Pods. Pods that have ended and
// are being deleted as well are of no use to anybody, and not in it.
func (dsc *DaemonSetsController) getNodesToDaemonPods(p *sim.Proc, ds *appsv1.DaemonSet, nodeList []*corev1.Node) ([]nodePods, error) {
	if known := dsc.known[ds.UID]; known != nil && known.changes == dsc.podChanges {
		return known.nodes, nil
	}
	own, orphans, selector, err := dsc.candidates(ds)
	if err != nil {
		return nil, err
	}
	if len(orphans) == 0 {
		if dsc.daemonPods[ds.UID] == nil {
			dsc.daemonPods[ds.UID] = newDaemonPods()
		}
		if byNode, ok := dsc.daemonPods[ds.UID].follow(own, selector); ok {
			nodes := withNodes(ds, nodeList, byNode)
			dsc.known[ds.UID] = &knownPods{dsc.podChanges, nodes}
			return nodes, nil
		}
	}
	// There is something to adopt or to release, or no way to tell where a Pod belongs.
	delete(dsc.daemonPods, ds.UID)
	claimed, err := dsc.claim(p, ds, selector, append(own, orphans...))
	if err != nil {
		return nil, err
	}
	byNode := make(map[string][]*corev1.Pod, len(claimed))
	for _, pod := range claimed {
		if isDeletedTerminal(pod) {
			continue
		}
		nodeName, err := GetTargetNodeName(pod)
		if err != nil {
			noTarget(p, ds, pod)
			continue
		}
		byNode[nodeName] = append(byNode[nodeName], pod)
	}
	return withNodes(ds, nodeList, byNode), nil
}

func isDeletedTerminal(pod *corev1.Pod) bool {
	return controller.IsPodTerminal(pod) && pod.DeletionTimestamp != nil
}

func noTarget(p *sim.Proc, ds *appsv1.DaemonSet, pod *corev1.Pod) {
	p.Logger().V(4).Info("Failed to get target node name of Pod in DaemonSet", "pod", controller.KObj(pod), "daemonset", controller.KObj(ds))
}

// candidates are the Pods of a DaemonSet and the orphans of its namespace.
func (dsc *DaemonSetsController) candidates(ds *appsv1.DaemonSet) (own, orphans []*corev1.Pod, selector labels.Selector, err error) {
	if selector, err = labels.LabelSelectorAsSelector(ds.Spec.Selector); err != nil {
		return nil, nil, nil, err
	}
	if own, err = controller.FilterPodsByOwner(dsc.podIndexer, ds, controllerKind.Kind, false); err != nil {
		return nil, nil, nil, err
	}
	orphans, err = controller.OrphanPods(dsc.podIndexer, ds.Namespace)
	return own, orphans, selector, err
}

func (dsc *DaemonSetsController) claim(p *sim.Proc, ds *appsv1.DaemonSet, selector labels.Selector, pods []*corev1.Pod) ([]*corev1.Pod, error) {
	return controller.NewPodControllerRefManager(dsc.podControl, ds, selector, controllerKind, dsc.canAdopt(ds)).ClaimPods(p, pods)
}

// getDaemonPods returns the Pods that belong to a DaemonSet, after adopting
// orphans that match and releasing those that no longer do.
func (dsc *DaemonSetsController) getDaemonPods(p *sim.Proc, ds *appsv1.DaemonSet) ([]*corev1.Pod, error) {
	own, orphans, selector, err := dsc.candidates(ds)
	if err != nil {
		return nil, err
	}
	return dsc.claim(p, ds, selector, append(own, orphans...))
}

func newDaemonPods() *daemonPods {
	return &daemonPods{byNode: map[string][]*corev1.Pod{}, crowded: map[string][]*corev1.Pod{}}
}

// follow takes in what has changed among the Pods that the DaemonSet owns, which are in the order of their names. It is not ok if the
// selector does not match one of them, or one has no node; then this is of no use any more.
func (d *daemonPods) follow(own []*corev1.Pod, selector labels.Selector) (byNode map[string][]*corev1.Pod, ok bool) {
	before := d.pods
	for _, pod := range own {
		for len(before) > 0 && before[0] != pod && before[0].Name <= pod.Name {
			d.drop(before[0])
			before = before[1:]
		}
		if len(before) > 0 && before[0] == pod {
			before = before[1:]
			continue
		}
		if !selector.Matches(labels.Set(pod.Labels)) || !d.put(pod) {
			return nil, false
		}
	}
	for _, pod := range before {
		d.drop(pod)
	}
	d.pods = own
	for name, pods := range d.crowded { // order: each has its own key
		d.byNode[name] = slices.Clone(pods)
	}
	return d.byNode, true
}

// on are the Pods of a node by name.
func (d *daemonPods) on(nodeName string) []*corev1.Pod {
	if pods := d.crowded[nodeName]; pods != nil {
		return pods
	}
	return d.byNode[nodeName]
}

func (d *daemonPods) set(nodeName string, pods []*corev1.Pod) {
	switch len(pods) {
	case 0:
		delete(d.byNode, nodeName)
		delete(d.crowded, nodeName)
	case 1:
		d.byNode[nodeName] = pods
		delete(d.crowded, nodeName)
	default:
		d.crowded[nodeName] = pods
	}
}

func (d *daemonPods) put(pod *corev1.Pod) bool {
	nodeName, err := GetTargetNodeName(pod)
	if err != nil {
		return isDeletedTerminal(pod)
	}
	if isDeletedTerminal(pod) {
		return true
	}
	pods := d.on(nodeName)
	at, _ := slices.BinarySearchFunc(pods, pod, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	d.set(nodeName, slices.Insert(slices.Clone(pods), at, pod))
	return true
}

func (d *daemonPods) drop(pod *corev1.Pod) {
	if nodeName, err := GetTargetNodeName(pod); err == nil {
		if pods := d.on(nodeName); slices.Contains(pods, pod) {
			d.set(nodeName, slices.DeleteFunc(slices.Clone(pods), func(other *corev1.Pod) bool { return other == pod }))
		}
	}
}

// withNodes puts the Pods beside the nodes, which are in the order of their names.
func withNodes(ds *appsv1.DaemonSet, nodeList []*corev1.Node, byNode map[string][]*corev1.Pod) []nodePods {
	out := make([]nodePods, len(nodeList), len(nodeList)+1)
	found := 0
	for i, node := range nodeList {
		n := &out[i]
		n.name, n.node, n.pods = node.Name, node, byNode[node.Name]
		n.shouldRun, n.shouldContinueRunning = NodeShouldRunDaemonPod(node, ds)
		if len(n.pods) > 0 {
			found++
		}
	}
	if found == len(byNode) {
		return out
	}
	byName := func(a, b nodePods) int { return strings.Compare(a.name, b.name) }
	for name, pods := range byNode { // order: they are sorted below
		if _, exists := slices.BinarySearchFunc(out[:len(nodeList)], nodePods{name: name}, byName); !exists {
			out = append(out, nodePods{name: name, pods: pods})
		}
	}
	sorting.Func(out, byName)
	return out
}
