package cri

import (
	"fmt"
	"slices"
	"strings"
)

// CommandLine is what a container runs, as ps shows it: the Pod's command and
// args, or the image's own.
func CommandLine(image string, command, args []string) []string {
	b := lookup(image)
	switch {
	case len(command) > 0:
		return append(slices.Clone(command), args...)
	case len(args) > 0:
		return append(slices.Clone(b.Entrypoint), args...)
	}
	return append(slices.Clone(b.Entrypoint), b.Cmd...)
}

// neighbours are the running containers whose processes a container sees, in
// the order of their process numbers: its target's and its own, all of the Pod
// when that shares them, or only its own. paused says that the Pod's pause
// container is process 1.
func (x *shell) neighbours() (all []*Container, paused bool) {
	for _, c := range x.runtime.containersOf(x.container.SandboxID) {
		if x.runtime.tasks[c.ID] == nil {
			continue
		}
		switch own := x.container.Config; {
		case own.SharesProcesses, c.ID == x.container.ID:
			all = append(all, c)
		case own.Target != "" && c.Config.Name == own.Target:
			all = append([]*Container{c}, all...)
		}
	}
	return all, x.container.Config.SharesProcesses
}

// processes is ps. Each process of a container has a number; those of commands
// that run meanwhile are left out, but for ps itself.
func processes(x *shell, argv []string) int32 {
	x.say("PID   USER     TIME  COMMAND")
	id := 1
	line := func(command string) {
		x.say(fmt.Sprintf("%5d root      0:00 %s", id, command))
		id += 6
	}
	all, paused := x.neighbours()
	if paused {
		line("/pause")
	}
	for _, c := range all {
		name := strings.Join(c.Config.Command, " ")
		if name == "" {
			name = c.Config.Name
		}
		line(name)
	}
	line(strings.Join(argv, " "))
	return 0
}

// netstat lists the ports on which the Pod's containers listen: they share one
// network, whoever's processes they see.
func netstat(x *shell, _ []string) int32 {
	x.say("Active Internet connections (only servers)")
	x.say("Proto Recv-Q Send-Q Local Address           Foreign Address         State")
	var ports []int32
	for _, c := range x.runtime.containersOf(x.container.SandboxID) {
		t := x.runtime.tasks[c.ID]
		if t == nil {
			continue
		}
		for _, list := range [][]int32{t.program.Ports, c.Config.Ports} {
			for _, port := range list {
				if t.listens(x.runtime.kernel.Elapsed(), c, "tcp", port) && !slices.Contains(ports, port) {
					ports = append(ports, port)
				}
			}
		}
	}
	slices.Sort(ports)
	for _, port := range ports {
		x.say(fmt.Sprintf("tcp        0      0 %-23s %-23s LISTEN", fmt.Sprintf(":::%d", port), ":::*"))
	}
	return 0
}

// seen is the container that a path leads into: /proc/1/root is the file system
// of process 1, which is another container's when processes are shared with it.
func (x *shell) seen(path string) (*Container, string) {
	const root = "/proc/1/root"
	rest, ok := strings.CutPrefix(path, root)
	if !ok || rest != "" && rest[0] != '/' {
		return x.container, path
	}
	if all, paused := x.neighbours(); len(all) > 0 && !paused {
		return all[0], clean("/", rest)
	}
	return x.container, clean("/", rest)
}
