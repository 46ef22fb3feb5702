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

// drawObjectPanel draws an object with its kind, and below them its numbers.
func (v *surroundings) drawObjectPanel(put func(Shape), key string, w workload, r rect) {
	resource, name, _ := strings.Cut(key, " ")
	details := w.details
	f := panel("workload/"+key, RoleWorkload, w.state, r, key)
	f.Mark, f.Z = "", LayerParts
	titles := keyNames(name)[1:]
	kind, brief := kindOf(resource), short(resource)
	if w.kind != "" {
		kind, brief = w.kind, w.kind
	}
	room := func(kind string) int { return r.w - 38 - (textWidth(kind, typeText)+9)/10 }
	f.Detail = brief
	f.Title = fitEnd(titles[len(titles)-1], room(f.Detail), typeName) // a name of random letters, as volumes have
	for i, kind := range []string{kind, brief, kind} {
		if title := titles[min(i/2, len(titles)-1)]; fits(title, room(kind), typeName) {
			f.Title, f.Detail = title, kind
			break
		}
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
	for _, title := range []string{short(resource) + "/" + bareName(name), bareName(name), suffix(bareName(name))} {
		for _, detail := range w.details {
			if detail.key == "" && detail.text != "" {
				options = append(options, plain(title+": "+detail.text))
			}
		}
	}
	line.setTitle(first(r.w, typeText, append(options, plain(short(resource)+"/"+bareName(name)), plain(bareName(name)), plain(suffix(bareName(name))))...))
	put(line)
}
