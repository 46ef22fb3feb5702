package scene

import (
	"cmp"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// podView shows one Pod as the kubelet of its node sees it: its conditions, and its containers in the order in which
// they start. Below stand the API server with its newest write, and the node's other Pods.
type podView struct {
	*Stage
	traffic
	at       podPlaces
	turn     podChoice
	logged   words                     // what the chosen Pod's kubelet logged about it last
	failures map[string]map[string]int // Pod → container and probe → how often it failed
	exits    map[string]map[string]int // Pod → container → the exit code with which its runtime has it, and not yet another start
	stale    bool
}

// podPlaces are where the view's parts are. A line without height is not drawn.
type podPlaces struct {
	width, height            int
	kubelet, says, pod       rect
	conditions               int // in a row
	conditionHigh            int
	row                      size // of a container: w is not used
	api, revision, newest    rect
	waiting                  rect // Pods without a node
	node                     rect
	inNode                   rect // the place of Pods, measured from the node's corner; w and h are what is left free at the other
	tiles                    []size
	wire, pillRoom, mostRows int
}

var podLayouts = map[Layout]podPlaces{
	Wide: {
		width: 760, height: 514,
		kubelet: rect{10, 8, 740, 334}, says: rect{260, 14, 464, 26}, pod: rect{22, 48, 716, 284},
		conditions: 4, conditionHigh: 26, row: size{0, 66, 6}, mostRows: 4,
		api: rect{10, 388, 250, 118}, revision: rect{24, 422, 222, 24}, newest: rect{24, 446, 222, 24},
		waiting: rect{24, 473, 154, 28}, node: rect{284, 388, 466, 118},
		inNode: rect{12, 38, 12, 10}, tiles: []size{{110, 28, 6}, {74, 28, 6}, {18, 18, 4}, {9, 9, 2}, {5, 5, 1}}, wire: 130, pillRoom: 240,
	},
	Narrow: {
		width: 360, height: 384,
		kubelet: rect{4, 4, 352, 278}, pod: rect{10, 36, 340, 240},
		conditions: 2, conditionHigh: 20, row: size{0, 48, 4}, mostRows: 3,
		api: rect{4, 304, 352, 32}, node: rect{4, 344, 352, 36},
		inNode: rect{150, 7, 8, 7}, tiles: []size{{60, 22, 4}, {18, 18, 4}, {9, 9, 2}, {5, 5, 1}}, wire: 60, pillRoom: 112,
	},
}

func newPodView(s *Stage) *podView {
	return &podView{Stage: s, traffic: newTraffic(), at: podLayouts[s.layout], turn: podChoice{met: map[string]bool{}},
		failures: map[string]map[string]int{}, exits: map[string]map[string]int{}, stale: true}
}

func (v *podView) size() (width, height int) { return v.at.width, v.at.height }

func (v *podView) hasQueues() bool { return false }

func (v *podView) watched(string) { v.stale = true }

func (v *podView) packet(string, any) {}

// podChoice is which Pod is large. A Pod becomes the one when something begins for it that has not been before: it
// starts on a node, or is in trouble of a kind that it has not been in. It stays the one until that is so of another, or it is
// gone; so two Pods in trouble do not take turns.
type podChoice struct {
	pod string
	met map[string]bool // Pod and what began for it
}

// begins says that something begins for a Pod, and tells whether that makes another Pod the large one.
func (c *podChoice) begins(pod, what string) bool {
	if what == "" || c.met[pod+" "+what] {
		return false
	}
	c.met[pod+" "+what] = true
	changed := c.pod != pod
	c.pod = pod
	return changed
}

// gone forgets a Pod, which may be created again.
func (c *podChoice) gone(pod string) {
	for at := range c.met { // order: it only deletes
		if strings.HasPrefix(at, pod+" ") {
			delete(c.met, at)
		}
	}
	if c.pod == pod {
		c.pod = ""
	}
}

// beginning is what has begun for a Pod that is bound to a node: its start, the reason for which a container of it waits
// or ended, or its deletion. It is "" for one that is running and ready, or is not bound.
func beginning(p *corev1.Pod) string {
	switch {
	case p.Spec.NodeName == "" || p.Namespace == "kube-system":
		return ""
	case p.DeletionTimestamp != nil:
		return "deletion"
	}
	if reason := waitsFor(p); reason != "" {
		if reason == "ErrImagePull" { // the same trouble, told at another moment
			reason = "ImagePullBackOff"
		}
		return reason
	}
	for i := range p.Status.ContainerStatuses {
		if t := p.Status.ContainerStatuses[i].State.Terminated; t != nil {
			return t.Reason
		}
	}
	if p.Status.Phase == corev1.PodFailed {
		return p.Status.Reason
	}
	if p.Status.Phase == corev1.PodRunning {
		return ""
	}
	return "start"
}

func (v *podView) follow(e *trace.Event, _ bool) {
	for _, d := range e.Deltas {
		switch c := d.Cell; c.Kind {
		case trace.CellObject:
			if c.Owner != "pods" {
				break
			}
			if p, ok := d.New.(*corev1.Pod); ok {
				v.begins(c.Key, beginning(p))
				v.passed(c.Key, p)
			} else {
				v.turn.gone(c.Key)
				delete(v.failures, c.Key)
				delete(v.exits, c.Key)
			}
			v.stale = true
		case trace.CellMessage, trace.CellCache, trace.CellQueue, trace.CellWorker:
		default:
			v.stale = true
		}
	}
	switch {
	case e.Op == trace.ContainerExit:
		code, _ := e.Get("code").(int64)
		set(v.exits, e.Object.Key(), e.Text("container"), int(code), true)
		if code != 0 { // before the status says so
			v.begins(e.Object.Key(), cmp.Or(e.Text("reason"), "Error"))
		}
	case e.Op == trace.ImagePulled && e.Text("error") != "":
		for _, key := range sortedKeys(v.pods) {
			p := v.pods[key]
			uses := func(c corev1.Container) bool { return strings.HasSuffix("/"+e.Text("image"), "/"+c.Image) }
			if p.Spec.NodeName != "" && p.Status.Phase == corev1.PodPending && slices.ContainsFunc(p.Spec.Containers, uses) {
				v.begins(key, "ImagePullBackOff")
			}
		}
	case e.Op == trace.ContainerStart:
		set(v.exits, e.Object.Key(), e.Text("container"), 0, false)
		for _, probe := range probeNames {
			set(v.failures, e.Object.Key(), e.Text("container")+" "+probe, 0, false)
		}
	case e.Op == trace.Log && strings.HasPrefix(e.Component, "kubelet/"):
		v.hears(e)
	}
}

func (v *podView) begins(pod, what string) {
	if v.turn.begins(pod, what) {
		v.logged, v.stale = words{}, true
	}
}

// hears takes note of what a kubelet logs about a Pod.
func (v *podView) hears(e *trace.Event) {
	pod := e.Text("pod")
	if e.Text("message") == "Probe failed" && v.pods[pod] != nil {
		at := e.Text("containerName") + " " + strings.ToLower(e.Text("probeType"))
		set(v.failures, pod, at, v.failures[pod][at]+1, true)
		if p := v.pods[pod]; p.Namespace != "kube-system" {
			v.begins(pod, at)
		}
		v.stale = true
	}
	if e.Text("message") == "Back-off restarting failed container" && v.pods[pod] != nil {
		v.begins(pod, "CrashLoopBackOff")
	}
	if level, _ := e.Get("v").(int64); pod != "" && pod == v.shown() && level <= 3 {
		v.logged, v.stale = plain(e.Text("message")), true
	}
}

// passed forgets failures of readiness and startup probes that a container's status says are over.
func (v *podView) passed(key string, p *corev1.Pod) {
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range list {
			if list[i].Ready {
				set(v.failures, key, list[i].Name+" readiness", 0, false)
			}
			if list[i].Started != nil && *list[i].Started {
				set(v.failures, key, list[i].Name+" startup", 0, false)
			}
		}
	}
}

// shown is the Pod that is large: the one whose turn it is, or else the first that is bound to a node.
func (v *podView) shown() string {
	if v.turn.pod != "" {
		return v.turn.pod
	}
	for _, key := range sortedKeys(v.pods) {
		if p := v.pods[key]; p.Spec.NodeName != "" && p.Namespace != "kube-system" {
			return key
		}
	}
	return ""
}

// node is the node of the Pod that is large, or else the first.
func (v *podView) node() string {
	if p := v.pods[v.shown()]; p != nil {
		return p.Spec.NodeName
	}
	if shown, _ := v.nodesBeside(1 << 20); len(shown) > 0 {
		return shown[0]
	}
	return ""
}

func (v *podView) draw() {
	if v.dirty.board || v.dirty.strip || len(v.dirty.areas)+len(v.dirty.nodes)+len(v.dirty.pods) > 0 {
		v.stale = true
	}
	v.dirty = newDirt()
	if !v.stale {
		return
	}
	v.stale = false
	v.group("pod view", func(put func(Shape)) {
		v.drawKubelet(put)
		v.drawPod(put)
		v.drawAPI(put)
		v.drawOthers(put)
	})
	if a := &v.at; a.waiting.h > 0 {
		v.podTiles(waitingArea, a.waiting, a.tiles[1:]...)
	}
}

func (v *podView) drawKubelet(put func(Shape)) {
	a, node := &v.at, v.node()
	if node == "" {
		return
	}
	kubelet := "kubelet/" + node
	f := panel("kubelet", RoleNode, v.upState(kubelet), a.kubelet, kubelet)
	if f.State == "running" {
		f.State = "ready"
	}
	f.Title = fitFirst(a.kubelet.w/2, typeName, "kubelet · "+node, "kubelet")
	trouble := v.trouble(kubelet).words
	if f.State == "down" {
		trouble = said("scene.down")
	}
	room := a.kubelet.w - 48 - f.titleWidth(typeName)
	f.setDetail(first(room, typeText, trouble))
	put(f)
	if a.says.h > 0 && f.Detail+f.DetailWord == "" {
		put(text("kubelet/says", RoleSays, a.says, first(a.says.w, typeText, v.logged)))
	}
	v.putWire(put, kubelet, kubelet, true, a.wire, a.kubelet.bottom(), a.wire, a.api.y)
}

// podConditions are in the order in which they become true.
var podConditions = []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady}

func (v *podView) drawPod(put func(Shape)) {
	a, key := &v.at, v.shown()
	p := v.pods[key]
	if p == nil {
		if v.node() != "" {
			put(text("pod/none", RoleLabel, rect{a.pod.x + 8, a.pod.y + 8, a.pod.w - 16, 24}, said("scene.pod.none")))
		}
		return
	}
	f := panel("pod/"+key, RolePod, v.podState(key), a.pod, "pods "+key)
	f.Mark, f.Z = marks[f.State], LayerParts
	f.Title = fitFirst(a.pod.w/2, typeName, append([]string{"Pod " + bareName(key)}, names(key)...)...)
	phase := string(p.Status.Phase)
	f.setDetail(first(a.pod.w-58-f.titleWidth(typeName), typeText, plain("phase "+phase), plain(phase)))
	put(f)
	in := a.pod.inset(14, 34, 8)
	w := in.w / a.conditions
	for i, kind := range podConditions {
		at := rect{in.x + i%a.conditions*w, in.y + i/a.conditions*a.conditionHigh, w, a.conditionHigh}
		c := text("condition/"+string(kind), RoleEndpoint, at, plain(string(kind)))
		if c.State, c.Mark, c.Z = "waiting", "○", LayerChips; isTrue(p, kind) {
			c.State, c.Mark = "ready", "●"
		}
		put(c)
	}
	high := (len(podConditions) + a.conditions - 1) / a.conditions * a.conditionHigh
	v.drawContainers(put, key, rect{in.x, in.y + high + 6, in.w, in.h - high - 6})
}

func isTrue(p *corev1.Pod, kind corev1.PodConditionType) bool {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == kind {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (v *podView) drawContainers(put func(Shape), key string, in rect) {
	a := &v.at
	rows := shownRows(rowsOf(v.pods[key], v.failures[key], v.exits[key]), a.mostRows)
	if len(rows) == 0 {
		return
	}
	h := min(a.row.h, (in.h-(len(rows)-1)*a.row.gap)/len(rows))
	for i := range rows {
		row := &rows[i]
		f := panel("container/"+key+"/"+row.name, RolePod, row.state, rect{in.x, in.y + i*(h+a.row.gap), in.w, h}, "")
		f.Mark, f.Z = marks[row.state], LayerChips
		room := in.w - 58
		for _, option := range row.says { // the name is whole, what it does is as long as there is room
			if fits(option, room-(textWidth(row.name, typeName)+9)/10, typeText) {
				f.Detail = option
				break
			}
		}
		f.Title = fitFirst(room-(textWidth(f.Detail, typeText)+9)/10, typeName, row.name+row.kind, row.name)
		put(f)
		l := text("container/"+key+"/"+row.name+"/more", RoleLabel, rect{f.X + 34, f.Y + min(h-22, 34), in.w - 48, 20}, words{})
		for n := len(row.more); n > 0 && l.Title == ""; n-- {
			l.Title = fitFirst(l.W, typeText, strings.Join(row.more[:n], " · "))
		}
		if l.Z = LayerPackets; l.Title != "" {
			put(l)
		}
	}
}

// drawAPI draws the API server with its newest write.
func (v *podView) drawAPI(put func(Shape)) {
	a := &v.at
	api := panel("apiserver", RoleAPIServer, v.upState(castAPIServer), a.api, castAPIServer)
	api.setTitle(said("scene.api"))
	revision := said("scene.revision", count(v.revision))
	if a.revision.h == 0 && v.revision > 0 {
		api.setDetail(revision)
	}
	put(api)
	others := v.others()
	if _, ran := v.cast[castScheduler]; ran {
		others = append(others, castScheduler)
	}
	if a.revision.h == 0 {
		v.dots(put, others, a.api.right()-4, a.api.y-14, a.api.w-8)
		return
	}
	v.dots(put, others, a.api.right()-12, a.api.bottom()-20, a.api.w-24)
	if v.revision > 0 {
		r := text("store/revision", RoleStore, a.revision, revision)
		if r.About = "store"; v.storeState() != "" {
			r.State, r.Mark = v.storeState(), frameMarks[v.storeState()]
		}
		put(r)
	}
	if n := len(v.revisions); n > 0 {
		newest := v.revisions[n-1]
		kind, name := strings.ToUpper(newest.kind)+" ", newest.about.Name
		l := text("newest", RoleNewest, a.newest, words{})
		l.About = newest.about.String()
		l.Title = fitFirst(l.W, typeText, kind+newest.about.Resource+"/"+name, kind+short(newest.about.Resource)+"/"+name,
			kind+name, kind+suffix(name), kind[:len(kind)-1])
		put(l)
	}
}

// drawOthers draws the node with its other Pods.
func (v *podView) drawOthers(put func(Shape)) {
	a, node := &v.at, v.node()
	if node == "" {
		return
	}
	state, says := v.nodeState(node)
	f := panel("node/"+node, RoleNode, state, a.node, "nodes "+node)
	f.Title = fitFirst(a.inNode.x+a.node.w/4, typeName, node, node[strings.LastIndexByte(node, '-')+1:])
	if a.inNode.x < 100 {
		f.setDetail(first(a.node.w-58-f.titleWidth(typeName), typeText, says))
	}
	put(f)
	var keys, here []string
	if area := v.areas[nodeArea(node)]; area != nil {
		here = area.keys
	}
	for _, key := range here {
		if key != "" && key != v.shown() && !strings.HasPrefix(key, ghostKey) {
			keys = append(keys, key)
		}
	}
	in := rect{a.node.x + a.inNode.x, a.node.y + a.inNode.y, a.node.w - a.inNode.x - a.inNode.w, a.node.h - a.inNode.y - a.inNode.h}
	if len(keys) == 0 && v.pods[v.shown()] != nil {
		put(text("node/"+node+"/none", RoleLabel, rect{in.x, in.y, in.w, 22}, first(in.w, typeText, said("scene.pod.others.none"))))
	}
	g := newGrid(in, len(keys), a.tiles...)
	for i, key := range keys {
		at, ok := g.at(i)
		if !ok {
			break
		}
		at.w = min(at.w, 150)
		put(tile(Shape{ID: "pod/" + key, Role: RolePod, State: v.podState(key), About: "pods " + key}, at, names(key)...))
	}
}

// message draws what travels between the API server and the kubelet of the large Pod.
func (v *podView) message(e *trace.Event, number string, n any, quiet bool) {
	m, there := n.(trace.Message)
	if !there {
		v.leave(v.Stage, number)
		return
	}
	component, back := m.From, v.roles.of(m.From) == castAPIServer
	if back {
		component = m.To
	}
	if component != "kubelet/"+v.node() {
		return
	}
	f := flightOf(m, e, number, component, back, quiet)
	f.room, f.arrow, f.shape.State = v.at.pillRoom, "↓", "node"
	if back {
		f.arrow, f.shape.State = "↑", "api"
	}
	if !m.Good {
		f.shape.State = "error"
	}
	if f.shape.Line = "wire/" + component; back && v.isCut(component) {
		f.shape.Line += "/far"
	}
	v.enter(v.Stage, component, f)
}
