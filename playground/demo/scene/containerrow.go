package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
)

// containerRow is what is said of a container. Names of fields, reasons and probes are the same in all languages.
type containerRow struct {
	name  string
	kind  string   // what stands behind the name: " · init 1/2", " · sidecar"
	state string   // one of a Pod's
	says  []string // its state, from long to short
	more  []string // what else is known, the most important first
	done  bool     // an init container that has ended well
}

// rowsOf are a Pod's containers in the order in which they start: init containers and sidecars, then the others. failures
// are how often a probe failed, by container and probe; exits are the codes of containers that have ended, as their runtime knows.
func rowsOf(p *corev1.Pod, failures, exits map[string]int) (rows []containerRow) {
	inits := 0
	for i := range p.Spec.InitContainers {
		if !isSidecar(&p.Spec.InitContainers[i]) {
			inits++
		}
	}
	nth := 0
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		row := rowOf(p, c, p.Status.InitContainerStatuses, failures, exits)
		if isSidecar(c) {
			row.kind = " · sidecar"
		} else {
			nth++
			row.kind = " · init"
			if inits > 1 {
				row.kind += " " + number(nth) + "/" + number(inits)
			}
			if row.done = row.state == PodSucceeded; row.state == PodReady || row.state == PodRunning {
				row.state, row.says = PodInit, row.says[1:] // it is never ready before it has ended
			}
		}
		rows = append(rows, row)
	}
	for i := range p.Spec.Containers {
		rows = append(rows, rowOf(p, &p.Spec.Containers[i], p.Status.ContainerStatuses, failures, exits))
	}
	return rows
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// shownRows are at most so many of them. Init containers that have ended well are the first to go, then the last ones.
func shownRows(rows []containerRow, most int) []containerRow {
	for len(rows) > most {
		i := slices.IndexFunc(rows, func(r containerRow) bool { return r.done })
		if i < 0 {
			return rows[:most]
		}
		rows = slices.Delete(rows, i, i+1)
	}
	return rows
}

func rowOf(p *corev1.Pod, c *corev1.Container, statuses []corev1.ContainerStatus, failures, exits map[string]int) (row containerRow) {
	row = containerRow{name: c.Name, state: PodPending, says: []string{"Waiting"}}
	defer func() { row.more = append(row.more, c.Image) }()
	i := slices.IndexFunc(statuses, func(s corev1.ContainerStatus) bool { return s.Name == c.Name })
	if i < 0 {
		return row
	}
	s := &statuses[i]
	switch w, t := s.State.Waiting, s.State.Terminated; {
	case s.State.Running != nil:
		row.says = []string{"Running, ready", "Running"}
		if row.state = PodReady; !s.Ready {
			row.state, row.says = PodRunning, []string{"Running, not ready", "Running"}
		}
		if code, ended := exits[c.Name]; ended { // its status does not say so yet
			row.says, row.more = []string{"Exited, exit code " + number(code), "Exited"}, append(row.more, "status: Running")
			if row.state = PodSucceeded; code != 0 {
				row.state = PodFailed
			}
			return row
		}
	case t != nil:
		code := count(int64(t.ExitCode))
		row.says = []string{"Terminated: " + t.Reason + ", exit code " + code, t.Reason + ", exit code " + code, t.Reason}
		if row.state = PodSucceeded; t.ExitCode != 0 {
			row.state = PodFailed
		}
	case w != nil && w.Reason != "":
		row.says = []string{"Waiting: " + w.Reason, w.Reason}
		switch {
		case waits(w.Reason):
			row.state = PodWaiting
		case w.Reason == "ContainerCreating" && p.Spec.NodeName != "":
			row.state = PodStarting
		}
		if wait := backOff(w.Message); wait != "" {
			row.more = append(row.more, "back-off "+wait)
		}
	}
	if s.RestartCount > 0 {
		row.more = append(row.more, "restartCount "+count(int64(s.RestartCount)))
	}
	row.more = append(row.more, probesOf(c, s, failures)...)
	if t := s.LastTerminationState.Terminated; t != nil {
		row.more = append(row.more, "last: "+t.Reason+", exit code "+count(int64(t.ExitCode)))
	}
	return row
}

// backOff is how long a container waits, of a status's message: "back-off 20s restarting failed container=…".
func backOff(message string) string {
	rest, ok := strings.CutPrefix(message, "back-off ")
	if !ok {
		return ""
	}
	wait, _, _ := strings.Cut(rest, " ")
	return wait
}

var probeNames = []string{"startup", "liveness", "readiness"}

// probesOf says of each probe of a running container what is known: how often it failed, that it succeeded, or that it is there.
func probesOf(c *corev1.Container, s *corev1.ContainerStatus, failures map[string]int) (out []string) {
	if s.State.Running == nil {
		return nil
	}
	started := s.Started != nil && *s.Started
	good := map[string]bool{"startup": started, "liveness": started, "readiness": s.Ready}
	for i, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		name := probeNames[i]
		n := failures[c.Name+" "+name]
		switch {
		case probe == nil:
		case n > 0:
			out = append(out, name+" ✕ ×"+number(n))
		case good[name]:
			out = append(out, name+" ✓")
		default:
			out = append(out, name+" …")
		}
	}
	return out
}
