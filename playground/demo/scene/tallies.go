package scene

import (
	"strconv"
	"strings"
)

// What the pictures of very many Pods share: how many there are of each kind, large, and as parts of a bar; who has typed what; who is down.

// tallyPlaces are where these are.
type tallyPlaces struct {
	numbers [3]rect // the large ones: Ready, without a node, and another one; no height: it is not drawn
	lines   [4]rect // the others; the last is for the number that the view adds, if it is not large
	bar     rect
	trouble rect // who is down; it may be where the last line is, which then goes
	dots    rect
}

// tallies are the kinds of Pods that are counted: first those of which the number is large.
var tallies = []struct{ key, state, word string }{
	{"ready", PodReady, "scene.totals.ready"},
	{"pending", PodPending, "scene.totals.pending"},
	{"starting", PodStarting, "scene.totals.starting"},
	{"notReady", PodLost, "scene.totals.notReady"},
	{"terminating", PodTerminating, "scene.totals.terminating"},
}

// inBar is the order of the kinds in the bar: what has come furthest first.
var inBar = []int{0, 3, 4, 2, 1}

// drawTallies draws how many Pods there are of each kind, and a number that the view adds. The bar is as long as total.
func (s *Stage) drawTallies(a *tallyPlaces, counts map[string]int64, total int64, added int64, labels ...words) {
	s.group("tallies", func(put func(Shape)) {
		large := func(key, state string, r rect, n int64, w ...words) {
			out := Shape{ID: "tally/" + key, Kind: Box, Role: RoleNumber, Form: string(FormNumber), State: state, Z: LayerParts,
				X: r.x, Y: r.y, W: r.w, H: r.h, Title: grouped(n)}
			if out.setDetail(first(r.w, typeText, w...)); r.h > 0 {
				put(out)
			}
		}
		for i, t := range tallies {
			if i < 2 {
				large(t.key, t.state, a.numbers[i], counts[t.key], said(t.word))
				continue
			}
			l := text("tally/"+t.key, RoleLabel, a.lines[i-2], words{})
			l.setDetail(plain(grouped(counts[t.key])))
			l.setTitle(first(l.W-(textWidth(l.Detail, typeText)+9)/10-6, typeText, said(t.word), said(t.word+".brief")))
			put(l)
		}
		large("added", "", a.numbers[2], added, labels...)
		if r := a.lines[3]; r.h > 0 && (r != a.trouble || len(s.inTrouble()) == 0) {
			l := text("tally/added", RoleLabel, r, words{})
			l.setDetail(plain(grouped(added)))
			l.setTitle(first(l.W-(textWidth(l.Detail, typeText)+9)/10-6, typeText, labels...))
			put(l)
		}
		s.drawBar(put, a.bar, counts, total)
	})
}

// drawBar draws Pods as parts of a bar. What is there shows, however little it is.
func (s *Stage) drawBar(put func(Shape), r rect, counts map[string]int64, total int64) {
	put(Shape{ID: "bar", Kind: Box, Role: RoleMeter, Form: string(FormTile), Z: LayerParts, X: r.x, Y: r.y, W: r.w, H: r.h})
	sum := int64(0)
	for _, t := range tallies {
		sum += counts[t.key]
	}
	total = max(total, sum)
	x, from := r.x, int64(0)
	for _, i := range inBar {
		t := tallies[i]
		n := counts[t.key]
		from += n
		if n == 0 {
			continue
		}
		end := max(r.x+int(int64(r.w)*from/total), x+3)
		if end > r.right() {
			end = r.right()
		}
		if end > x {
			put(Shape{ID: "bar/" + t.key, Kind: Box, Role: RolePod, Form: string(FormTile), State: t.state, Z: LayerChips, X: x, Y: r.y, W: end - x, H: r.h})
		}
		x = end
	}
}

// drawWho draws dots for those who are there, and says who of them is in trouble.
func (s *Stage) drawWho(a *tallyPlaces) {
	s.group("who", func(put func(Shape)) {
		who, side, gap := s.controlPlane(), 10, 5
		if len(who)*(side+gap) > a.dots.w {
			side, gap = 6, 2
		}
		for i, name := range who { // from right to left
			row, column := i/(a.dots.w/(side+gap)), i%(a.dots.w/(side+gap))
			put(Shape{ID: "component/" + name, Kind: Box, Role: RoleMinor, Form: string(FormTile), State: s.upState(name), Z: LayerParts,
				X: a.dots.right() - (column+1)*(side+gap) + gap, Y: a.dots.y + row*(side+gap), W: side, H: side, About: name})
		}
		wrong := s.inTrouble()
		if len(wrong) == 0 {
			return
		}
		l := text("who/trouble", RoleLabel, a.trouble, words{})
		l.State, l.Mark, l.About = "down", frameMarks[s.upState(wrong[0])], wrong[0]
		says := s.trouble(wrong[0]).words
		if s.upState(wrong[0]) == "down" {
			says = said("scene.down")
		}
		room := l.W - 18 - says.width(typeText) - 8
		if l.Title = fitFirst(room, typeText, wrong[0], brief(wrong[0])); l.Title != "" {
			l.setDetail(says)
		} else {
			l.Title = fitFirst(l.W-18, typeText, brief(wrong[0]))
		}
		put(l)
	})
}

// controlPlane are the components that run once in the cluster.
func (s *Stage) controlPlane() (names []string) {
	for _, name := range sortedKeys(s.cast) {
		if c := s.roles.of(name); (c == castMinor || c == castScheduler || name == castAPIServer) && name != theWire {
			names = append(names, name)
		}
	}
	return names
}

// inTrouble are those of them that are down, or not well.
func (s *Stage) inTrouble() (names []string) {
	for _, name := range s.controlPlane() {
		if s.upState(name) != "running" {
			names = append(names, name)
		}
	}
	return names
}

// grouped prints a number with commas: "150,000".
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}
