package scene

import (
	"sort"
	"strings"

	"kubewalk/playground/trace"
)

// FocusStore is the focus of a picture of the store's revisions, and of how far each client has been told of them.
const FocusStore = "etcd"

// storeView shows the store from inside. The newest writes stand in columns, by revision. Below them a bar for each who remembers a part of
// that history: etcd, the API server's watch cache, and the clients that watch a resource, up to the revision that each has got. Above stand the
// three numbers that etcd keeps with the object that the user asked for or wrote, or that was written last.
type storeView struct {
	surroundings
	history
	at storePlaces
}

// storePlaces are where its parts are. A bar goes from the columns' left edge, where older revisions are, to the right of the last column,
// where the present is.
type storePlaces struct {
	width, height int
	around        surroundingPlaces
	subject       rect
	numbers       rect // of the first number: the others follow to the right of it, as far apart as it is wide
	names         rect // of the first row: the others follow below
	pitch         int  // from one row to the next
	columns       rect // of the first column
	columnPitch   int
	mostColumns   int
	older, now    int // how wide the places before the first column and after the last are
	mostRows      int // of clients
	hasVersions   bool
}

var storeLayouts = map[Layout]storePlaces{
	Wide: {
		width: 760, height: 514,
		around: surroundingPlaces{
			mostNodes: 5, inNode: rect{12, 34, 12, 6}, tiles: []size{{wideTile, 27, 6}, {82, 27, 6}, {58, 24, 4}, {18, 18, 4}, {11, 11, 3}, {6, 6, 2}, {4, 4, 1}},
			pillRoom: 200,
			user:     rect{10, 6, 236, 66}, others: rect{262, 6, 236, 66}, sched: rect{514, 6, 236, 66},
			userWire: []int{128, 72, 128, 104}, othersWire: []int{380, 72, 380, 104}, schedWire: []int{632, 72, 632, 104},
			band: rect{10, 104, 740, 300}, nodes: rect{10, 436, 740, 74},
		},
		subject: rect{24, 138, 210, 24}, numbers: rect{244, 110, 126, 56},
		names: rect{22, 224, 178, 24}, pitch: 25,
		columns: rect{270, 172, 80, 28}, columnPitch: 84, mostColumns: 5, older: 66, now: 50, mostRows: 5, hasVersions: true,
	},
	Narrow: {
		width: 360, height: 390,
		around: surroundingPlaces{
			mostNodes: 3, inNode: rect{3, 29, 3, 3}, tiles: []size{{78, 20, 3}, {50, 20, 2}, {14, 14, 3}, {9, 9, 2}, {5, 5, 1}, {3, 3, 1}},
			user: rect{4, 4, 173, 34}, sched: rect{183, 4, 173, 34},
			userWire: []int{90, 38, 90, 58}, schedWire: []int{270, 38, 270, 58},
			band: rect{4, 58, 352, 246}, nodes: rect{4, 322, 352, 66},
		},
		subject: rect{150, 62, 198, 21}, numbers: rect{14, 84, 84, 46},
		names: rect{12, 180, 110, 20}, pitch: 20,
		columns: rect{152, 134, 52, 24}, columnPitch: 55, mostColumns: 3, older: 30, now: 30, mostRows: 4,
	},
}

func newStoreView(s *Stage) *storeView {
	at := storeLayouts[s.layout]
	return &storeView{surroundings: newSurroundings(s, at.around), history: newHistory(), at: at}
}

func (v *storeView) size() (width, height int) { return v.at.width, v.at.height }

func (v *storeView) hasQueues() bool { return false }

func (v *storeView) packet(string, any) {}

func (v *storeView) follow(e *trace.Event, quiet bool) {
	if v.history.follow(e, quiet) {
		v.todo.band = true
	}
	v.note(e)
}

func (v *storeView) draw() { v.drawAll(func() {}, v.drawBand) }

func (v *storeView) drawBand() {
	v.group("band", func(put func(Shape)) {
		v.drawAPIPanel(put, true)
		v.drawNumbers(put)
		v.drawColumns(put)
		v.drawKeepers(put)
		v.drawClients(put)
	})
}

// drawNumbers draws the store's revision, and the numbers that it keeps with the subject.
func (v *storeView) drawNumbers(put func(Shape)) {
	a := &v.at
	number := func(i int, id string, n int64, about string) Shape {
		return Shape{ID: id, Kind: Box, Role: RoleNumber, Form: string(FormNumber), Z: LayerParts,
			X: a.numbers.x + i*a.numbers.w, Y: a.numbers.y, W: a.numbers.w - 6, H: a.numbers.h, Title: count(n), About: about}
	}
	r := number(0, "store/revision", v.Stage.revision, "store")
	r.setDetail(said("scene.store.revision"))
	if r.State = v.storeState(); r.State != "" {
		r.setDetail(said("scene.down"))
		if r.State != "down" {
			r.setDetail(first(r.W, typeText, v.trouble("etcd").words, said("scene.store.failing")))
		}
	}
	put(r)
	n, there := v.versions[v.subject.String()]
	if !there {
		return
	}
	about := v.subject.String()
	l := text("store/subject", RoleNote, a.subject, plain(fitFirst(a.subject.w, typeText, subjectNames(v.subject)...)))
	l.About = about
	put(l)
	for i, of := range []struct {
		id   string
		word string
		n    int64
	}{{"created", "scene.store.created", n.created}, {"modified", "scene.store.modified", n.modified}, {"version", "scene.store.version", int64(n.version)}} {
		if of.n == 0 && (of.id == "created" || n.created == 0) {
			continue // it was there before the run began
		}
		s := number(i+1, "store/"+of.id, of.n, about)
		s.setDetail(said(of.word))
		if of.id == "version" && n.version == 0 {
			s.setDetail(said("scene.store.deleted"))
		}
		put(s)
	}
}

// subjectNames are an object's name with its resource, from long to short.
func subjectNames(o trace.Ref) []string {
	return []string{o.Resource + "/" + o.Name, short(o.Resource) + "/" + o.Name, o.Name, short(o.Resource) + "/" + suffix(o.Name), suffix(o.Name), short(o.Resource)}
}

// shown are the writes that have a column.
func (v *storeView) shown() []write { return v.writes[max(0, len(v.writes)-v.at.mostColumns):] }

func (v *storeView) drawColumns(put func(Shape)) {
	a := &v.at
	heads := rect{a.names.x, a.columns.y, a.names.w, a.columns.h}
	put(text("store/writes", RoleLabel, heads, first(heads.w, typeText, said("scene.store.writes"), said("scene.store.writes.brief"))))
	heads.y += heads.h
	heads.h = a.names.y - heads.y
	if of := v.resource; v.followers[of] != nil {
		put(text("store/watches", RoleLabel, heads, first(heads.w, typeText, said("scene.store.watches", of), said("scene.store.watches.brief", of), plain(of))))
	}
	for i, w := range v.shown() {
		r := a.columns
		r.x += i * a.columnPitch
		state := w.kind
		if v.isGone(w) {
			state = "compacted"
		}
		id := "revision/" + count(w.revision)
		t := tile(Shape{ID: id, Role: RoleRevision, State: state, About: w.about.String()}, r, count(w.revision))
		if t.Mark != "" && a.hasVersions && w.version > 0 {
			if says := "v" + number(w.version); 25+(textWidth(t.Title+says, typeText)+9)/10+12 <= r.w {
				t.Detail = says
			}
		}
		put(t)
		name := text(id+"/key", RoleNote, rect{r.x, r.bottom(), r.w, a.names.h - 2}, plain(fitFirst(r.w, typeText, subjectNames(w.about)[2:]...)))
		name.About, name.State = w.about.String(), state
		put(name)
	}
}

// row is where the parts of a row are.
func (a *storePlaces) row(i int) (name, bar rect) {
	name = a.names
	name.y += i * a.pitch
	bar = rect{a.columns.x - a.older, name.y + 1, a.older + a.mostColumns*a.columnPitch + a.now, a.pitch - 3}
	return name, bar
}

// left is the left edge of the first column of a write after a revision; the present's, when there is none.
func (v *storeView) left(after int64) int {
	a := &v.at
	for i, w := range v.shown() {
		if w.revision > after {
			if i == 0 {
				return a.columns.x - a.older
			}
			return a.columns.x + i*a.columnPitch
		}
	}
	return a.columns.x + a.mostColumns*a.columnPitch
}

// right is the right edge of the last column of the writes that are known, up to the first that is not.
func (v *storeView) right(knows func(revision int64) bool) int {
	a := &v.at
	for i, w := range v.shown() {
		if !knows(w.revision) {
			return a.columns.x + i*a.columnPitch - (a.columnPitch - a.columns.w)
		}
	}
	return a.columns.x + a.mostColumns*a.columnPitch + a.now
}

// bar is what somebody holds of the history, from one x to another, and says what fits into it.
func (v *storeView) bar(id, state string, r rect, from, to int, about string, says ...words) Shape {
	r.x, r.w = from, max(0, to-from)
	s := tile(Shape{ID: "history/" + id, Role: RoleHistory, State: state, About: about}, r)
	s.setDetail(first(r.w-33, typeText, says...))
	if s.Mark = marks[state]; r.w < 33 {
		s.Mark = ""
	}
	return s
}

// drawReader draws up to which revision somebody has got, and what there is to say of it: beside the bar or, where there is no room, in it.
func (v *storeView) drawReader(put func(Shape), id, state string, r rect, to int, revision int64, about string, says []words) {
	to = max(to, r.x+v.at.older-4)
	at := count(revision)
	s := v.bar(id, state, r, r.x, to, about, plain(at))
	beside := rect{to + 8, r.y - 1, r.right() - to - 8, v.at.names.h}
	if s.Detail == "" { // the number has no room in the bar
		l := text("history/"+id+"/at", RoleNote, rect{beside.x, beside.y, (textWidth(at, typeText) + 9) / 10, beside.h}, plain(at))
		l.State = state
		put(l)
		beside.x, beside.w = beside.x+l.W+10, beside.w-l.W-10
	}
	note := first(beside.w, typeText, says...)
	if note == (words{}) {
		s.setTitle(first(s.W-45-(textWidth(s.Detail, typeText)+9)/10, typeText, says...))
	}
	put(s)
	if note != (words{}) {
		l := text("history/"+id+"/note", RoleNote, beside, note)
		l.State = state
		put(l)
	}
}

// drawKeepers draws what etcd and the API server's watch cache remember.
func (v *storeView) drawKeepers(put func(Shape)) {
	end := v.at.columns.x + v.at.mostColumns*v.at.columnPitch + v.at.now
	for i, k := range []struct {
		id, about string
		after     int64
		up        bool
		says      []words
	}{
		{"etcd", "store", v.compacted - 1, v.storeState() != "down", []words{said("scene.store.from", count(v.compacted)), plain(count(v.compacted))}},
		{"cache", castAPIServer, v.cachedFrom, v.upState(castAPIServer) != "down", []words{said("scene.store.after", count(v.cachedFrom)), plain(count(v.cachedFrom))}},
	} {
		name, r := v.at.row(i)
		l := text("history/"+k.id+"/name", RoleNote, name, first(name.w, typeText, said("scene.store."+k.id), said("scene.store."+k.id+".brief")))
		l.About = k.about
		put(l)
		switch {
		case !k.up:
			put(text("history/"+k.id+"/note", RoleNote, rect{r.x, name.y, r.w, name.h}, said("scene.down")))
		case k.after <= 0: // all that there ever was
			put(v.bar(k.id, "keeps", r, r.x, end, k.about))
		default:
			s := v.bar(k.id, "keeps", r, v.left(k.after), end, k.about, k.says...)
			if at := k.says[1].text; s.Detail+s.DetailWord == "" && fits(at, s.W-6, typeText) { // rather than the sign
				s.Mark, s.Title = "", at
			}
			put(s)
		}
	}
}

// clients are those that watch the resource, in the order in which there is room for them: whom the picture is about, who has no watch,
// then controllers, the scheduler and kubelets, by name.
func (v *storeView) clients() (out []*follower) {
	rank := func(f *follower) int {
		switch {
		case v.roles.follows(f.client, trace.Log):
			return 0
		case f.watch == "":
			return 1
		case v.roles.of(f.client) == castMinor:
			return 2
		case v.roles.of(f.client) == castScheduler:
			return 3
		}
		return 4
	}
	for _, f := range v.followers[v.resource] { // order: they are sorted
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := rank(out[i]), rank(out[j])
		return a < b || a == b && natural(out[i].client, out[j].client)
	})
	return out
}

// drawClients draws the last list of the user, and how far those have got that watch the resource.
func (v *storeView) drawClients(put func(Shape)) {
	i, rows := 2, v.at.mostRows+2
	if v.reading.resource != "" {
		v.drawReading(put, i)
		i++
	}
	clients := v.clients()
	room := rows - i
	if len(clients) > room {
		room--
		name, _ := v.at.row(rows - 1)
		name.w = v.at.around.band.right() - 8 - name.x
		put(text("history/more", RoleLabel, name, first(name.w, typeText, moreClients(clients[room:])...)))
		clients = clients[:room]
	}
	for _, f := range clients {
		v.drawClient(put, i, f)
		i++
	}
}

// moreClients says how many others watch, and how they are.
func moreClients(others []*follower) []words {
	behind := 0
	for _, f := range others {
		if f.watch == "" || f.behind() > 0 {
			behind++
		}
	}
	n := number(len(others))
	if behind == 0 {
		return []words{said("scene.watch.more", n), said("scene.more", n)}
	}
	return []words{said("scene.watch.more.behind", n, number(behind)), said("scene.more", n)}
}

// drawReading draws the revision that the user's last list showed, or did not get.
func (v *storeView) drawReading(put func(Shape), i int) {
	name, r := v.at.row(i)
	w := &v.reading
	put(text("history/kubectl/name", RoleNote, name, first(name.w, typeText, said("scene.store.list", w.resource), said("scene.store.list.brief"))))
	state, says := "listed", []words{}
	switch {
	case w.code == "":
		state = "coming"
	case w.code >= "400":
		state, says = "refused", []words{plain(w.code + " " + w.reason), plain(w.code)}
	}
	revision := w.revision
	if revision == 0 {
		revision = v.Stage.revision
	}
	to := v.right(func(n int64) bool { return n <= revision })
	if revision == v.Stage.revision {
		to = r.right()
	}
	v.drawReader(put, "kubectl", state, r, to, revision, "", says)
}

// drawClient draws how far a client has got.
func (v *storeView) drawClient(put func(Shape), i int, f *follower) {
	name, r := v.at.row(i)
	l := text("history/"+f.client+"/name", RoleNote, name, clientName(f.client, name.w))
	l.About = f.client
	put(l)
	if f.down {
		note := text("history/"+f.client+"/note", RoleNote, rect{r.x, name.y, r.w, name.h}, said("scene.down"))
		note.State = "refused"
		put(note)
		return
	}
	state, says := v.clientState(f)
	v.drawReader(put, f.client, state, r, v.right(f.knows), f.got, f.client, says)
}

// clientState is how it goes with a client's watch, and what there is to say of it.
func (v *storeView) clientState(f *follower) (state string, says []words) {
	n := number(f.behind())
	switch {
	case f.refused:
		return "refused", []words{plain("410 Expired"), plain("410")}
	case f.watch == "" && f.listed != "":
		return "listed", []words{said("scene.watch.listed", f.listed)}
	case f.watch == "" && f.behind() > 0:
		return "unwatched", []words{said("scene.watch.none.behind", n), said("scene.watch.behind", n), plain("−" + n)}
	case f.watch == "":
		return "unwatched", []words{said("scene.unwatched.many")}
	case f.behind() > 0 && v.trouble(f.client).state == "cut":
		return "unwatched", []words{said("scene.watch.cut", n), said("scene.watch.behind", n), plain("−" + n)}
	case f.behind() > 0:
		return "coming", []words{said("scene.watch.coming", n), said("scene.watch.behind", n), plain("−" + n)}
	}
	return "knows", nil
}

// clientName is what there is room for of a client's name.
func clientName(client string, room int) words {
	options := []words{plain(client), plain(brief(client)), briefName(client), said("scene.brief." + client)}
	if _, node, ok := strings.Cut(client, "/"); ok {
		options = []words{plain(client), plain(node), plain(node[strings.LastIndexByte(node, '-')+1:])}
	}
	if briefName(client).key == "" {
		options = options[:len(options)-1]
	}
	if w := first(room, typeText, options...); w != (words{}) {
		return w
	}
	return plain(brief(client)[:strings.IndexByte(brief(client)+"-", '-')])
}
