package scene

func unique(in []string) []string {
	set := map[string]bool{}
	for _, v := range in {
		set[v] = true
	}
	out := sorted(set)
	// Pods last: they take the room that is left.
	for i, v := range out {
		if v == "pods" {
			return append(append(out[:i:i], out[i+1:]...), v)
		}
	}
	return out
}

// minorNames are the phrases that say in two words what a controller in brief
// does. Its name is what About says.
var minorNames = map[string]string{
	"generic-garbage-collector": "gc",
	"pod-garbage-collector":     "podgc",
	"node-controller":           "node",
	"taint-eviction-controller": "taint",
}

// drawMinor draws a controller in brief: that it is there, and whether it runs.
func (s *Stage) drawMinor(name string) {
	r, ok := s.board.frames[name]
	if !ok {
		return
	}
	s.group("component/"+name, func(put func(Shape)) {
		c := Shape{ID: "component/" + name, Role: RoleMinor, State: s.upState(name), About: name}
		c = s.chip(c, r, "")
		if c.State == "running" {
			c.Mark = ""
		}
		// Room is kept for the mark: a name does not change when its owner crashes.
		room := r.w - 25
		options := []words{plain(name), plain(brief(name)), plain(fitEnd(brief(name), room, s.font))}
		if key := minorNames[name]; key != "" {
			options = []words{said("scene.minor." + key), said("scene.minor." + key + ".brief"), options[2]}
		}
		c.setTitle(first(room, s.font, options...))
		c.Z = LayerFrames
		put(c)
	})
}
