package scene

import "cmp"

// drawBeside draws who else is there, in few words.
func (v *surroundings) drawBeside() {
	a := &v.around
	if a.user.h == 0 {
		return
	}
	v.group("beside", func(put func(Shape)) {
		line := func(id string, r rect, i int) Shape {
			if r.h < lowest { // it has one line
				return text(id, RoleLabel, rect{r.x + 12, r.y + 5, r.w - 24, 24}, words{})
			}
			return text(id, RoleLabel, rect{r.x + 14, r.y + 27 + i*24, r.w - 28, 23}, words{})
		}
		v.drawUser(put, line)
		v.drawOthers(put, line)
		v.drawSchedulerBriefly(put, line)
	})
}

// lowest is how high a box is that has room for a name and for what its owner does below it.
const lowest = 50

// drawUser draws who types commands, and the last of them.
func (v *surroundings) drawUser(put func(Shape), line func(string, rect, int) Shape) {
	user := panel("user", RoleUser, "", v.around.user, castUser)
	if v.lively(castUser) {
		user.State = "active"
	}
	l := line("user/command", v.around.user, 0)
	l.Mark = v.done.mark
	if l.Title = fitFirst(l.W-18, typeText, v.done.options...); l.Title == "" && v.done.word != "" {
		l.setTitle(first(l.W-18, typeText, said(v.done.word)))
	}
	isSaid := l.Title != "" || l.Word != "" || l.Mark != ""
	if user.H >= lowest || !isSaid {
		user.setTitle(said(cmp.Or(v.done.word, "scene.user"))) // what is no command did not come from kubectl
	}
	put(user)
	if isSaid {
		put(l)
	}
}

// lively tells whether something of a lane is on its way that is worth following.
func (v *surroundings) lively(lane string) bool {
	for _, f := range v.traffic.on(lane) {
		if !f.isQuiet {
			return true
		}
	}
	return false
}

func (v *surroundings) drawOthers(put func(Shape), line func(string, rect, int) Shape) {
	others := v.others()
	var wrong []string
	for _, name := range others {
		if v.upState(name) != "running" {
			wrong = append(wrong, name)
		}
	}
	if len(others) == 0 || v.around.others.h == 0 {
		return
	}
	f := panel(castMinors, RoleMinor, "", v.around.others, "")
	if r := v.around.others; len(others) > 1 {
		v.dots(put, others, r.right()-14, r.bottom()-16, r.w-28)
	}
	f.setTitle(said("scene.others", number(len(others))))
	if len(others) == 1 {
		f.About = others[0]
		f.setTitle(first(f.W-28, typeText, plain(others[0]), plain(brief(others[0])), said("scene.other")))
	}
	l := line(castMinors+"/who", v.around.others, 0)
	acts := ""
	for _, flying := range v.traffic.on(castMinors) {
		if !flying.isQuiet {
			acts = flying.who
		}
	}
	switch {
	case acts != "":
		f.State, f.About = "active", acts
		l.setTitle(first(l.W, typeText, plain(acts), plain(brief(acts))))
	case len(wrong) > 0:
		l.Mark = frameMarks[v.upState(wrong[0])]
		says := v.trouble(wrong[0]).words
		if !v.cast[wrong[0]] {
			says = said("scene.down")
		}
		l.setDetail(says)
		room := l.W - 28 - says.width(typeText)
		l.setTitle(first(room, typeText, plain(wrong[0]), plain(brief(wrong[0]))))
		if l.Title == "" { // the name says more
			l.setDetail(words{})
			l.setTitle(first(l.W-18, typeText, plain(wrong[0]), plain(brief(wrong[0]))))
		}
	default:
		l.setTitle(said("scene.quiet"))
	}
	put(f)
	put(l)
}

// drawSchedulerBriefly says which Pod the scheduler has, and how many wait.
func (v *surroundings) drawSchedulerBriefly(put func(Shape), line func(string, rect, int) Shape) {
	if _, ran := v.cast[castScheduler]; !ran || v.around.sched.h == 0 {
		return
	}
	f := panel("scheduler", RoleScheduler, v.upState(castScheduler), v.around.sched, castScheduler)
	f.setTitle(said("scene.scheduler"))
	if f.State == "down" {
		f.setDetail(first(f.W-56-f.titleWidth(typeName), typeText, said("scene.down"))) // its sign says it, too
		put(f)
		return
	}
	lost := v.unwatched(castScheduler)
	if f.State == "running" && len(lost) > 0 {
		f.State, f.Mark = "slow", ""
	}
	l, below := line("scheduler/does", v.around.sched, 0), line("scheduler/waiting", v.around.sched, 1)
	cycle, waits, hopeless := "", 0, 0
	for _, pod := range sortedKeys(v.scheduling) {
		switch v.scheduling[pod] {
		case inFlight:
			cycle = pod
		case "unschedulablePods":
			hopeless++
		default:
			waits++
		}
	}
	binds := ""
	for _, pod := range sortedKeys(v.assumed) {
		if p := v.pods[pod]; p != nil && p.Spec.NodeName == "" {
			binds = pod
		}
	}
	switch {
	case binds != "":
		l.setTitle(first(l.W, typeText, said("scene.binds", names(binds)[1], v.assumed[binds]), said("scene.binds.brief", names(binds)[1])))
	case cycle != "":
		l.setTitle(first(l.W, typeText, said("scene.places", names(cycle)[1]), said("scene.places.brief", names(cycle)[1])))
	default:
		l.setTitle(said("scene.scheduler.idle"))
	}
	if f.State == "running" && (binds != "" || cycle != "" || waits > 0) {
		f.State = "active"
	}
	if f.H < lowest {
		if len(lost) > 0 {
			l.setTitle(first(l.W, typeText, lost...))
			l.State = "slow"
		}
		v.drawSchedulerInLine(put, f, l, hopeless, waits, binds+cycle != "" || len(lost) > 0)
		return
	}
	if len(lost) > 0 {
		below.setTitle(first(below.W, typeText, lost...))
		below.State = "slow"
	} else if hopeless > 0 {
		below.setTitle(said("scene.unschedulable", number(hopeless)))
		below.State = "slow"
	} else if waits > 0 {
		below.setTitle(said("scene.waiting", number(waits)))
	}
	if below.Word != "" && below.Y+below.H > f.Y+f.H { // it has no room for both
		l.State, l.Word, l.Args, l.Title = below.State, below.Word, below.Args, below.Title
		below.Word = ""
	}
	put(f)
	put(l)
	if below.Word != "" {
		put(below)
	}
}

// drawSchedulerInLine says what is most urgent, or else who it is.
func (v *surroundings) drawSchedulerInLine(put func(Shape), f, l Shape, hopeless, waits int, works bool) {
	switch {
	case works && l.Word != "":
	case hopeless > 0:
		l.setTitle(first(l.W, typeText, said("scene.unschedulable", number(hopeless))))
		l.State = "slow"
	case waits > 0:
		l.setTitle(first(l.W, typeText, said("scene.waiting", number(waits))))
	default:
		l.setTitle(words{})
	}
	if l.Word != "" {
		f.setTitle(words{})
		put(l)
	}
	put(f)
}
