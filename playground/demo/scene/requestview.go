package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/trace"
)

// FocusRequest is the focus of a picture that shows the API server from inside: how a request to write gets through its phases.
const FocusRequest = castAPIServer

// requestView shows the API server from inside: the phases that a write goes through, which of them refused it or changed its object.
// It follows what the user asks for. Until then, it follows everybody's writes, Leases and Events aside.
type requestView struct {
	surroundings
	at      requestPlaces
	current passage
}

// requestPlaces are where its parts are.
type requestPlaces struct {
	width, height int
	around        surroundingPlaces
	revision      rect
	request       rect
	answer        rect
	phases        rect // of the first one: the others follow below it
	pitch         int  // from one phase to the next
	note          int  // the left edge of what is said beside a phase, in so many lines
	lines, line   int
	message       rect // of a refusal, in lines below the phases; no height: beside the phase
}

var requestLayouts = map[Layout]requestPlaces{
	Wide: {
		width: 760, height: 514,
		around: surroundingPlaces{
			mostNodes: 5, inNode: rect{12, 34, 12, 6}, tiles: []size{{wideTile, 27, 6}, {82, 27, 6}, {58, 24, 4}, {18, 18, 4}, {11, 11, 3}, {6, 6, 2}, {4, 4, 1}},
			hasRules: true, pillRoom: 200,
			user: rect{10, 8, 236, 66}, others: rect{262, 8, 236, 66}, sched: rect{514, 8, 236, 76},
			userWire: []int{128, 74, 128, 116}, othersWire: []int{380, 74, 380, 116}, schedWire: []int{632, 84, 632, 116},
			band: rect{10, 116, 740, 252}, nodes: rect{10, 404, 740, 108},
		},
		revision: rect{590, 124, 150, 24}, request: rect{24, 148, 460, 26}, answer: rect{484, 148, 256, 26},
		phases: rect{20, 182, 206, 30}, pitch: 36, note: 236, lines: 2, line: 18,
	},
	Narrow: {
		width: 360, height: 390,
		around: surroundingPlaces{
			mostNodes: 3, inNode: rect{3, 29, 3, 3}, tiles: []size{{78, 20, 3}, {50, 20, 2}, {14, 14, 3}, {9, 9, 2}, {5, 5, 1}, {3, 3, 1}},
			user: rect{4, 4, 173, 34}, sched: rect{183, 4, 173, 34},
			userWire: []int{90, 38, 90, 62}, schedWire: []int{270, 38, 270, 62},
			band: rect{4, 62, 352, 244}, nodes: rect{4, 322, 352, 66},
		},
		revision: rect{200, 68, 146, 22}, request: rect{14, 90, 190, 24}, answer: rect{204, 90, 146, 24},
		phases: rect{14, 118, 203, 24}, pitch: 27, note: 224, lines: 1, line: 24, message: rect{14, 254, 336, 22},
	},
}

// methods are the HTTP methods of the verbs that write, and of those that read and are answered at once.
var methods = map[string]string{"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "deletecollection": "DELETE",
	"get": "GET", "list": "GET"}

// passage is how far a request has got.
type passage struct {
	number  string // of the request
	words   []string
	about   trace.Ref
	isUsers bool
	isRead  bool
	deletes bool
	stored  int64 // the revision that it made; 0 before
	code    string
	reason  string
	refused string // by which phase
	plugin  string
	changed string // by which admission plugins
	asking  string // the phase in which a webhook is asked
	webhook string // which one was asked last
	message string
}

// newPassage is a request at its beginning.
func newPassage(e *trace.Event) passage {
	method := methods[e.Text("verb")]
	path := method + " " + e.Text("path")
	name := method + " " + short(e.Object.Resource) + "/" + e.Object.Name
	p := passage{number: attrText(e, "request"), about: e.Object, isUsers: e.Text("user") == "kubectl", isRead: method == "GET", deletes: method == "DELETE",
		words: []string{path, name, method + " " + suffix(e.Object.Name), method + " " + short(e.Object.Resource), method}}
	if who := e.Text("user"); !p.isUsers && who != "" { // the picture is about what the user asks for: whose this is, is said first
		part, _, _ := strings.Cut(who, "/")
		p.words = slices.Concat([]string{who + ": " + path, who + ": " + name, part + ": " + name, who + ": " + method, part + ": " + method}, p.words)
	}
	return p
}

// follow takes note of an event; it tells whether that changed anything.
func (w *passage) follow(e *trace.Event) bool {
	switch e.Op {
	case trace.RequestReceive:
		method := methods[e.Text("verb")]
		isUsers := e.Text("user") == "kubectl"
		resource := e.Object.Resource
		isRead := method == "GET"
		switch {
		case method == "" || w.isUsers && !isUsers:
			return false
		case !isUsers && (isRead || resource == "leases" || resource == "events"):
			return false
		case isRead && (resource == "" || w.deletes && resource == w.about.Resource): // discovery, or kubectl delete waits
			return false
		}
		*w = newPassage(e)
		return true
	case trace.AdmissionCall:
		if attrText(e, "request") != w.number {
			if w.isUsers && w.code == "" || e.Object.Resource == "events" {
				return false
			}
			*w = newPassage(e) // an answered request makes room for one that a webhook is asked about
		}
		w.asking, w.webhook = e.Text("phase"), e.Text("webhook")
		return true
	case trace.StoreCommit:
		same := e.Object.Resource == w.about.Resource && e.Object.Namespace == w.about.Namespace && (w.about.Name == "" || e.Object.Name == w.about.Name)
		if w.number == "" || w.code != "" || w.stored > 0 || !same {
			return false
		}
		w.stored, _ = e.Get("revision").(int64)
		return true
	case trace.RequestReply:
		if w.number == "" || attrText(e, "request") != w.number {
			return false
		}
		w.code, w.reason, w.refused = attrText(e, "code"), e.Text("reason"), e.Text("phase")
		w.plugin, w.changed, w.message = e.Text("plugin"), e.Text("changed"), e.Text("message")
		return true
	}
	return false
}

// states are those of the phases, in their order: later, now, passed, refused.
func (w *passage) states() []string {
	out := make([]string, len(trace.Phases))
	past := w.number != "" && !w.isRead
	for i, phase := range trace.Phases {
		switch {
		case !past:
			out[i] = "later"
		case w.code == "" && w.stored == 0 && w.asking != "" && w.asking != phase:
			out[i] = "passed" // a webhook is asked, or was, in a later phase
		case w.code == "" && w.stored == 0: // it is being handled; how far, nobody says
			out[i], past = "now", false
		case w.code == "" && phase == trace.PhaseStore:
			out[i] = "now"
		case w.refused == phase:
			out[i], past = "refused", false
		case w.code >= "400" && (w.refused == "" || w.refused == trace.PhaseAuthorization): // it failed for another reason than what it asks for
			out[i], past = "later", false
		default:
			out[i] = "passed"
		}
	}
	return out
}

func newRequestView(s *Stage) *requestView {
	at := requestLayouts[s.layout]
	return &requestView{surroundings: newSurroundings(s, at.around), at: at}
}

func (v *requestView) size() (width, height int) { return v.at.width, v.at.height }

func (v *requestView) hasQueues() bool { return false }

// packet draws what goes to a webhook and comes back, on the wire of its node. No other packets are of interest here.
func (v *requestView) packet(number string, n any) {
	p, there := n.(trace.Packet)
	switch number = "packet/" + number; {
	case !there:
		v.message(nil, number, nil, false)
	case p.From == castAPIServer:
		label, _, _ := strings.Cut(p.Label, "?")
		v.message(&trace.Event{}, number, trace.Message{Kind: "request", From: p.From, To: "kubelet/" + p.To, Label: label, Good: p.Good,
			Sent: p.Sent, Arrives: p.Arrives}, false)
	case p.To == castAPIServer:
		v.message(&trace.Event{}, number, trace.Message{Kind: "reply", From: "kubelet/" + p.From, To: p.To, Label: p.Label, Good: p.Good,
			Sent: p.Sent, Arrives: p.Arrives}, false)
	}
}

func (v *requestView) follow(e *trace.Event, _ bool) {
	if v.current.follow(e) {
		v.todo.band = true
	}
	v.note(e)
}

func (v *requestView) draw() { v.drawAll(func() {}, v.drawPassage) }

func (v *requestView) drawPassage() {
	a, w := &v.at, &v.current
	v.group("band", func(put func(Shape)) {
		v.drawAPIServer(put, a.revision)
		if w.number != "" {
			l := text("request", RoleSays, a.request, plain(fitFirst(a.request.w, typeText, w.words...)))
			l.About, l.Z = w.about.String(), LayerChips
			put(l)
		}
		if w.code != "" {
			l := text("answer", RoleDifference, a.answer, first(a.answer.w-24, typeName, plain(strings.TrimSpace(w.code+" "+w.reason)), plain(w.code)))
			l.State, l.Mark, l.Z = "settled", "✓", LayerChips
			if w.code >= "400" {
				l.State, l.Mark = "missing", "✕"
			}
			put(l)
		}
		for i, state := range w.states() {
			v.drawPhase(put, i, state)
		}
	})
}

// drawPhase draws a phase, and what it made of the request.
func (v *requestView) drawPhase(put func(Shape), i int, state string) {
	a, phase := &v.at, trace.Phases[i]
	r := a.phases
	r.y += i * a.pitch
	id := "phase/" + strings.ReplaceAll(phase, " ", "-")
	f := tile(Shape{ID: id, Role: RolePhase, State: state}, r)
	f.Mark = marks[state]
	f.setTitle(said("scene." + strings.Replace(id, "/", ".", 1)))
	put(f)
	if i > 0 {
		put(Shape{ID: id + "/from", Kind: Line, Role: RoleTake, Path: path(r.x+18, r.y-a.pitch+r.h, r.x+18, r.y), Z: LayerParts})
	}
	says := v.phaseWords(phase, state)
	for j, w := range says {
		at := rect{a.note, r.y + (r.h-a.line*len(says))/2 + j*a.line, a.noteRoom(), a.line}
		if state == "refused" && a.message.h > 0 {
			at = a.message
			at.y += j * at.h
		}
		l := text(id+"/note", RoleNote, at, w)
		if j > 0 {
			l.ID += "/" + number(j)
		}
		l.State, l.Z = state, LayerChips
		put(l)
	}
}

// noteRoom is how wide a line beside a phase may be.
func (a *requestPlaces) noteRoom() int { return a.around.band.right() - 8 - a.note }

// phaseWords is what there is to say of a phase, in lines.
func (v *requestView) phaseWords(phase, state string) []words {
	a, w := &v.at, &v.current
	room := a.noteRoom()
	var out words
	switch {
	case w.isRead:
		if phase == trace.Phases[0] {
			out = first(room, typeText, said("scene.phase.read"), said("scene.phase.read.brief"))
		}
	case state == "refused" && a.message.h > 0:
		return refusalLines(w.message, w.plugin, a.message.w, 2)
	case state == "refused":
		return refusalLines(w.message, w.plugin, room, a.lines)
	case state == "now" && phase == w.asking:
		name, _, _ := strings.Cut(w.webhook, ".") // without its domain
		out = first(room, typeText, said("scene.phase.asks", w.webhook), plain(w.webhook), said("scene.phase.asks", name), plain(name),
			plain(fitEnd(name, room, typeText)))
	case state == "later" || w.code == "" && phase != trace.PhaseStore:
	case phase == trace.PhaseMutating && w.changed != "":
		if lines := wrap("+ "+w.changed, room); len(lines) <= a.lines {
			return lines
		}
		n := strings.Count(w.changed, ",") + 1
		if out = said("scene.phase.changed.many", number(n)); n == 1 {
			out = said("scene.phase.changed.one")
		}
	case phase == trace.PhaseStore && w.stored > 0:
		out = first(room, typeText, said("scene.revision", count(w.stored)), plain(count(w.stored)))
	case phase == trace.PhaseStore && state == "passed":
		out = said("scene.phase.unchanged")
	}
	if out.key == "" && out.text == "" {
		return nil
	}
	return []words{out}
}

// refusalLines is as much of a refusal as there is room for in so many lines. What comes first in it is in the answer and in the request,
// too, and goes first.
func refusalLines(message, plugin string, room, most int) []words {
	rest := message
	if _, after, more := strings.Cut(message, ": "); more && plugin != "" { // instead of that it is forbidden, who forbids it
		rest = after
	}
	for {
		for _, whole := range []string{plugin + ": " + rest, rest} {
			if lines := wrap(strings.TrimPrefix(whole, ": "), room); len(lines) <= most {
				return lines
			}
		}
		_, after, more := strings.Cut(rest, ": ")
		if !more {
			// After a semicolon comes what to do about it.
			if what, _, isLong := strings.Cut(rest, "; "); isLong && len(wrap(what, room)) <= most {
				return wrap(what, room)
			}
			return []words{plain(fitEnd(rest, room, typeText))}
		}
		rest = after
	}
}

// wrap breaks a text into lines, at its spaces. A word that is wider than a line makes more lines than there could be room for.
func wrap(s string, room int) (lines []words) {
	line := ""
	for _, word := range strings.Fields(s) {
		if !fits(word, room, typeText) {
			return make([]words, len(s))
		}
		if line != "" && !fits(line+" "+word, room, typeText) {
			lines, line = append(lines, plain(line)), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, plain(line))
}
