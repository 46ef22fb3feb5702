//go:build !js || cel

package cri

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func init() {
	commands["ip"], commands["mount"], commands["sysctl"] = ip, mount, sysctl
	kernelFile = cgroupFile
	rareImages = append(rareImages, &nonewprivs)
	tools["nnp"] = func(x *shell, _ []string) int32 {
		uid := int64(0) // the file belongs to root and says that it runs as root
		if x.container.security().NoNewPrivileges {
			uid = x.container.Config.User
		}
		return x.say("Effective uid: " + strconv.FormatInt(uid, 10))
	}
}

// nonewprivs shows whether a program becomes somebody else. Upstream: test/images/nonewprivs.
var nonewprivs = Behaviour{Images: []string{"nonewprivs"}, SizeBytes: 3_000_000, Cmd: []string{"nnp"}, Commands: []string{"nnp"}}

// minQuota is the least CPU time in a period of 100 ms, in microseconds. Upstream: pkg/kubelet/cm/helpers_linux.go, MinQuotaPeriod.
const minQuota = 1000

// cgroupFile is a file of the container's control group, version 2, or of its first process. Upstream: runc, libcontainer/cgroups/fs2.
func cgroupFile(c *Container, path string) (string, bool) {
	limits := c.Config.Resources
	orMax := func(n, least int64) string {
		if n == 0 {
			return "max"
		}
		return strconv.FormatInt(max(n, least), 10)
	}
	switch path {
	case "/sys/fs/cgroup/cpu.max":
		return orMax(limits.CPULimit/10_000, minQuota) + " 100000\n", true
	case "/sys/fs/cgroup/cpu.weight":
		return strconv.FormatInt(1+(limits.CPUShares-2)*9999/262142, 10) + "\n", true
	case "/sys/fs/cgroup/memory.max":
		return orMax(limits.MemoryLimit, 0) + "\n", true
	case "/proc/1/oom_score_adj":
		return strconv.FormatInt(c.security().OOMScoreAdj, 10) + "\n", true
	}
	return "", false
}

// mount lists what is mounted, or what is of a type (-t). Nothing can be mounted.
func mount(x *shell, argv []string) int32 {
	kind, args := "", argv[1:]
	if len(args) > 1 && args[0] == "-t" {
		kind, args = args[1], args[2:]
	}
	if len(args) > 0 {
		x.complain("mount: permission denied (are you root?)")
		return 1
	}
	access := map[bool]string{true: "ro", false: "rw"}
	show := func(what, where, of string, readOnly bool) {
		if kind == "" || kind == of {
			x.say(what + " on " + where + " type " + of + " (" + access[readOnly] + ",relatime)")
		}
	}
	show("overlay", "/", "overlay", x.container.security().ReadOnlyRoot)
	show("proc", "/proc", "proc", false)
	show("tmpfs", "/dev", "tmpfs", false)
	show("cgroup", "/sys/fs/cgroup", "cgroup2", !x.container.security().Privileged)
	for _, m := range x.container.Config.Mounts {
		if m.Volume.InMemory {
			show("tmpfs", clean("/", m.Path), "tmpfs", m.ReadOnly)
		} else {
			show("/dev/vda1", clean("/", m.Path), "ext4", m.ReadOnly)
		}
	}
	return 0
}

// ip shows the Pod's network. Who is not privileged can't change it, and here nobody has to. Upstream: busybox networking/ip.c.
func ip(x *shell, argv []string) int32 {
	words := argv[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	object, verb := "", "show"
	if len(words) > 0 {
		object = words[0]
	}
	if len(words) > 1 {
		verb = words[1]
	}
	address := x.sandbox.IP
	shows := strings.HasPrefix("show", verb) || strings.HasPrefix("list", verb) || verb == "ls"
	is := func(name string) bool { return object != "" && strings.HasPrefix(name, object) }
	link := func(n int, name, flags, of string) {
		x.say(fmt.Sprintf("%d: %s: <%s,UP,LOWER_UP> mtu %d qdisc noqueue state UP qlen 1000\n    link/%s", n, name, flags, map[int]int{1: 65536, 2: 1500}[n], of))
	}
	switch {
	case object == "":
		return x.complain("BusyBox: ip: which object? address, route or link")
	case !shows && !x.container.security().Privileged:
		x.complain("ip: RTNETLINK answers: Operation not permitted")
		return 2
	case !shows:
	case is("address"):
		link(1, "lo", "LOOPBACK", "loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00")
		x.say("    inet 127.0.0.1/8 scope host lo")
		if address != "" {
			link(2, "eth0@if2", "BROADCAST,MULTICAST", hardware(address))
			x.say("    inet " + address + "/24 brd " + address[:strings.LastIndexByte(address, '.')] + ".255 scope global eth0")
		}
	case is("link"):
		link(1, "lo", "LOOPBACK", "loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00")
		if address != "" {
			link(2, "eth0@if2", "BROADCAST,MULTICAST", hardware(address))
		}
	case is("route"):
		if address != "" {
			network := address[:strings.LastIndexByte(address, '.')]
			x.say("default via " + network + ".1 dev eth0 \n" + network + ".0/24 dev eth0 scope link  src " + address)
		}
	default:
		return x.complain("ip: can't find object '" + object + "'")
	}
	return 0
}

// hardware is the interface's address in the network below, which the CNI plugin makes of the other one. Upstream: containernetworking/plugins, hwaddr.
func hardware(ip string) string {
	mac := "0a:58"
	for _, octet := range strings.Split(ip, ".") {
		n, _ := strconv.Atoi(octet)
		mac += fmt.Sprintf(":%02x", n)
	}
	return "ether " + mac + " brd ff:ff:ff:ff:ff:ff"
}

// RunsAsRoot tells whether it is known of an image that its processes run as root if nobody says otherwise.
func RunsAsRoot(image string) bool {
	return slices.Contains([]*Behaviour{&nginx, &httpd, &redis, &postgres, &busybox, &testBusybox, &alpine, &debian, &agnhost}, lookup(image))
}

// sysctl prints parameters of the kernel: those that the Pod sets. Upstream: busybox procps/sysctl.c.
func sysctl(x *shell, argv []string) int32 {
	code := int32(0)
	var known []Variable
	if r := x.sandbox.Config.Rare; r != nil {
		known = r.Sysctls
	}
	for _, name := range argv[1:] {
		dotted := strings.ReplaceAll(name, "/", ".")
		i := slices.IndexFunc(known, func(v Variable) bool { return strings.ReplaceAll(v.Name, "/", ".") == dotted })
		if i < 0 {
			code = x.complain("sysctl: error: '" + name + "' is an unknown key")
			continue
		}
		x.say(dotted + " = " + known[i].Value)
	}
	return code
}

// security is what the container's processes may do.
func (c *Container) security() Security {
	if c.Config.Security == nil {
		return Security{}
	}
	return *c.Config.Security
}
