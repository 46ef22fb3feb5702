package scene

import (
	"strings"

	"kubewalk/playground/trace"
)

// controllerView shows one controller from inside: what is wanted, what is in its cache,
// the difference, what it waits to see, its work queue and its workers. Below it stand
// the API server and the nodes; whoever else is there stands beside it, small.
type controllerView struct {
	surroundings
	panel controllerPanel
	at    controllerPlaces
}

// controllerPlaces are where its parts are, and how large.
type controllerPlaces struct {
	width, height int
	panel         panelPlaces
	around        surroundingPlaces
	revision      rect
	object, pods  rect
}

var controllerLayouts = map[Layout]controllerPlaces{
	Wide: {
		width: 760, height: 514,
		panel: panelPlaces{
			panel: rect{10, 8, 514, 216},
			want:  rect{26, 46, 90, 56}, have: rect{122, 46, 110, 56}, bar: rect{240, 50, 268, 30},
			says: rect{240, 82, 268, 24}, expects: rect{240, 106, 268, 22},
			labels: 20, queue: rect{26, 152, 160, 36}, worker: rect{204, 152, 138, 36}, later: rect{360, 152, 148, 36},
			log: rect{26, 191, 482, 24},
		},
		around: surroundingPlaces{
			band: rect{10, 280, 740, 86}, nodes: rect{10, 406, 740, 100},
			user: rect{540, 8, 210, 54}, others: rect{540, 70, 210, 68}, sched: rect{540, 146, 210, 78},
			userWire: []int{540, 35, 532, 35, 532, 280}, othersWire: []int{540, 104, 532, 104, 532, 280}, schedWire: []int{645, 224, 645, 280},
			mostNodes: 5, inNode: rect{12, 34, 12, 6}, hasHints: true,
			tiles: []size{{82, 27, 6}, {58, 24, 4}, {18, 18, 4}, {11, 11, 3}, {6, 6, 2}, {4, 4, 1}}, waiting: rect{362, 316, 376, 42},
		},
		revision: rect{24, 313, 108, 24}, object: rect{146, 290, 200, 66}, pods: rect{362, 290, 376, 68},
	},
	Narrow: {
		width: 360, height: 330,
		panel: panelPlaces{
			panel: rect{4, 4, 352, 142},
			want:  rect{18, 36, 66, 52}, have: rect{88, 36, 84, 52}, bar: rect{178, 40, 166, 24},
			says: rect{178, 64, 166, 22}, note: rect{178, 64, 166, 22}, expects: rect{178, 86, 166, 20},
			queue: rect{66, 108, 98, 32}, worker: rect{234, 108, 110, 32},
		},
		around: surroundingPlaces{
			band: rect{4, 182, 352, 56}, nodes: rect{4, 254, 352, 74}, mostNodes: 3, inNode: rect{3, 29, 3, 3},
			tiles: []size{{50, 20, 2}, {14, 14, 3}, {9, 9, 2}, {5, 5, 1}, {3, 3, 1}}, waiting: rect{194, 211, 158, 24},
		},
		revision: rect{18, 210, 110, 22}, object: rect{134, 186, 216, 24}, pods: rect{134, 211, 216, 24},
	},
}

// controllerWiring is how a controller in full width is joined to the API server.
var controllerWiring = map[Layout]controllerWires{
	Wide:   {requests: 112, replies: 262, watch: 412, rooms: [3]int{190, 104, 160}},
	Narrow: {requests: 66, replies: 174, watch: 282, rooms: [3]int{118, 84, 132}},
}

func newControllerView(s *Stage, name string) *controllerView {
	at := controllerLayouts[s.layout]
	v := &controllerView{surroundings: newSurroundings(s, at.around), panel: newControllerPanel(s, name, at.panel), at: at}
	if hasOwnKind(name) && s.layout == Wide { // a Foo, and its Deployment
		at.object.w, at.pods, at.around.waiting = 214, rect{606, 290, 132, 68}, rect{606, 316, 132, 42}
		v.surroundings, v.at = newSurroundings(s, at.around), at
	}
	wires := controllerWiring[s.layout]
	wires.name, wires.from = name, at.panel.panel.bottom()
	v.controllers = []controllerWires{wires}
	return v
}

func (v *controllerView) size() (width, height int) { return v.at.width, v.at.height }

func (v *controllerView) hasQueues() bool { return false }

func (v *controllerView) follow(e *trace.Event, _ bool) {
	if v.panel.follow(e) {
		v.todo.panels = true
		v.todo.band = v.todo.band || v.panel.name == sampleController // it shows whose Deployment the cache has
	}
	v.note(e)
	if e.Op == trace.QueueGet && e.Component == v.panel.name {
		v.todo.band = true // it shows the object that is worked on
	}
}

func (v *controllerView) draw() { v.drawAll(v.panel.draw, v.drawBand) }

func (v *controllerView) packet(string, any) {}

// drawBand draws the API server with the object that the controller works on.
func (v *controllerView) drawBand() {
	a := &v.at
	v.group("band", func(put func(Shape)) {
		v.drawAPIServer(put, a.revision)
		v.drawObject(put)
		if v.layout != Wide {
			waiting := v.areas[waitingArea]
			if waiting != nil && len(waiting.of) > 0 {
				put(text("pods/waiting", RoleLabel, rect{a.pods.x, a.pods.y, 60, 22}, said("scene.noNode.brief")))
			}
			return
		}
		if n := len(v.pods); n > 0 {
			l := text("pods/count", RoleLabel, rect{a.pods.x, a.pods.y, a.pods.w, 22}, said("scene.pods", number(n)))
			if n == 1 {
				l.setTitle(said("scene.pod", "1"))
			}
			if waiting := v.areas[waitingArea]; waiting != nil && len(waiting.of) > 0 {
				l.setTitle(first(a.pods.w, typeText, said("scene.noNode", number(n), number(len(waiting.of))), said("scene.noNode.brief")))
				if n == 1 {
					l.setTitle(first(a.pods.w, typeText, said("scene.noNode.one"), said("scene.noNode.brief")))
				}
			}
			put(l)
		}
	})
}

// drawObject draws the object on which the controller works, as it is in the store.
func (v *controllerView) drawObject(put func(Shape)) {
	draw := v.drawObjectPanel
	if v.layout != Wide {
		draw = v.drawObjectLine
	}
	key, at := v.objectKey(), v.at.object
	w, there := v.workloads[key]
	if there {
		draw(put, key, w, at)
	}
	if !hasOwnKind(v.panel.name) {
		return
	}
	key, own := v.panel.deployment()
	key = "deployments " + key
	w, is := v.workloads[key]
	if !is {
		return
	}
	if !own {
		w.details = notOwned(key, w.details, v.layout)
	}
	switch waiting := v.areas[waitingArea]; {
	case v.layout == Wide:
		at.x = at.right() + 12
	case !there:
	case waiting != nil && len(waiting.of) > 0: // they stand there
		return
	default:
		at = v.at.pods
	}
	draw(put, key, w, at)
}

// notOwned are the same details of a Deployment that is not the object's own.
func notOwned(key string, details []words, layout Layout) (out []words) {
	if layout != Wide {
		return []words{said("scene.notOwned.line", short("deployments")+"/"+bareName(key)), said("scene.notOwned.line", bareName(key))}
	}
	for _, d := range details {
		if d.key == "" {
			out = append(out, said("scene.notOwned", d.text))
		}
	}
	return append(out, details...)
}

// objectKey is the object that the API server's band shows: the one on which the controller works, or else the first that asks for Pods.
func (v *controllerView) objectKey() string {
	if key := goals[v.panel.name] + " " + v.panel.subject; goals[v.panel.name] != "" {
		if _, ok := v.workloads[key]; ok {
			return key
		}
		if hasOwnKind(v.panel.name) && v.panel.subject != "" {
			return "" // it is gone, and no other takes its place
		}
	}
	keys := v.objectKeys()
	for _, key := range keys {
		if strings.HasSuffix(key, " "+v.panel.subject) {
			return key
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return keys[0]
}
