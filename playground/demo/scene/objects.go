package scene

import (
	"sort"
	"strings"
)

// objectKeys are the objects that are drawn, in order. What the cluster needs for itself is left out.
func (v *surroundings) objectKeys() (keys []string) {
	for _, key := range sortedKeys(v.workloads) {
		if key != "services default/kubernetes" && !strings.Contains(key, " kube-system/") {
			keys = append(keys, key)
		}
	}
	sort.SliceStable(keys, func(i, j int) bool { return v.workloads[keys[i]].rank < v.workloads[keys[j]].rank })
	return keys
}

// kinds are what the kind of an object is called, long and short.
func (w workload) kinds(resource string) (kind, brief string) {
	if w.kind != "" {
		return w.kind, w.kind
	}
	if kind, brief = kindOf(resource), short(resource); strings.EqualFold(kind, brief) {
		return kind, kind
	}
	return kind, brief
}

// cardWidth is how wide the panel of an object is in which a name and a kind have room beside each other.
func cardWidth(name, kind string) int {
	if kind == "" {
		return 28 + (textWidth(name, typeName)+9)/10
	}
	return 38 + (textWidth(name, typeName)+9)/10 + (textWidth(kind, typeText)+9)/10
}

// leastCard is how wide the panel of an object is at least: "endpoints 1" has room in it.
const leastCard = 124

// cardWidths shares a width out among the panels of objects. All are as wide, unless a name had no room then: in that case each gets what its
// name needs, alone if need be, and those in front their kinds in full as far as there is room.
func (v *clusterView) cardWidths(keys []string, equal, gap, most int) []int {
	out := make([]int, len(keys))
	whole := make([]int, len(keys)) // with the kind in full
	left, isRoomy := most-gap*(len(keys)-1), true
	for i, key := range keys {
		resource, name, _ := strings.Cut(key, " ")
		kind, brief := v.objectAt(key).kinds(resource)
		if name = bareName(name); cardWidth(name, "") > most { // as volumes have: its end is all that is shown
			name = name[strings.LastIndexByte(name, '-')+1:]
		}
		whole[i], out[i] = cardWidth(name, kind), cardWidth(name, brief)
		if isRoomy = isRoomy && out[i] <= equal; out[i] > most/2 {
			out[i] = cardWidth(name, "")
		}
		out[i] = max(out[i], leastCard)
		left -= out[i]
	}
	if isRoomy || left < 0 {
		for i := range out {
			out[i] = equal
		}
		return out
	}
	for i := range out {
		if more := whole[i] - out[i]; more > 0 && more <= left {
			out[i], left = whole[i], left-more
		}
	}
	if len(keys) > 1 {
		for i := range out {
			out[i] += left / len(keys)
		}
	}
	return out
}

// drawObjectPanel draws an object with its kind, and below them its numbers.
func (v *surroundings) drawObjectPanel(put func(Shape), key string, w workload, r rect) {
	resource, name, _ := strings.Cut(key, " ")
	details := w.details
	f := panel("workload/"+key, RoleWorkload, w.state, r, key)
	f.Mark, f.Z = "", LayerParts
	titles := keyNames(name)[1:]
	kind, brief := w.kinds(resource)
	room := func(kind string) int { return r.w - cardWidth("", kind) }
	if f.Title = titles[len(titles)-1]; !fits(f.Title, r.w-28, typeName) { // no name is cut
		f.Title, f.Detail = "", brief
	}
	for i, kind := range []string{kind, brief, kind} {
		if title := titles[min(i/2, len(titles)-1)]; fits(title, room(kind), typeName) {
			f.Title, f.Detail = title, kind
			break
		}
	}
	if f.Title != titles[0] && cardWidth(titles[0], "") <= r.w {
		f.Title, f.Detail = titles[0], "" // the whole name says more than a part of it with the kind
	}
	put(f)
	l := text("workload/"+key+"/says", RoleLabel, rect{r.x + 14, r.y + 34, r.w - 28, 24}, words{})
	l.Z = LayerChips
	l.setTitle(first(l.W, typeText, details...))
	put(l)
}

// drawObjectLine draws an object in a line.
func (v *surroundings) drawObjectLine(put func(Shape), key string, w workload, r rect) {
	resource, name, _ := strings.Cut(key, " ")
	line := text("workload/"+key, RoleWorkload, r, words{})
	line.State, line.About = w.state, key
	var options []words
	for _, detail := range w.details {
		if detail.key == "scene.notOwned.line" { // it has the name, too
			options = append(options, detail)
		}
	}
	titles := []string{short(resource) + "/" + bareName(name), bareName(name), lastPart(bareName(name), w, r.w)}
	if parts := strings.Split(bareName(name), "."); len(parts) > 2 { // v1.clock.example.com: the domain is the first to go
		titles = append(titles, parts[0]+"."+parts[1])
	}
	for _, title := range titles {
		for _, detail := range w.details {
			if detail.key == "" && detail.text != "" {
				options = append(options, plain(title+": "+detail.text))
			}
		}
	}
	line.setTitle(first(r.w, typeText, append(options, plain(short(resource)+"/"+bareName(name)), plain(bareName(name)), plain(suffix(bareName(name))))...))
	put(line)
}

// lastPart is what stands for a name for which a line has no room. What was generated at its end tells it from others. What somebody has called
// so is told from others by its beginning: disk-controller is not the only controller.
func lastPart(name string, w workload, room int) string {
	end := suffix(name)
	if end == name || !isWord(end) || len(w.details) == 0 {
		return end
	}
	detail := w.details[len(w.details)-1]
	if begin := fitEnd(name, room-(textWidth(": "+detail.text, typeText)+9)/10, typeText); begin != "" {
		return begin
	}
	return end
}
