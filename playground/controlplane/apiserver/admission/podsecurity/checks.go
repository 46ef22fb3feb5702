package podsecurity

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// check is one rule of a level, from a version on and until before another. A restricted one may take the place of a baseline one.
// Upstream: policy/checks.go, Check; the rules are in the files check_*.go there.
type check struct {
	id          string
	level       Level
	from, until int
	instead     string
	run         func(p *pod) (reason, detail string)
}

// checks are in the order of messages: baseline first, then by their ids.
var checks = []check{
	{"appArmorProfile", Baseline, 0, latest, "", appArmorProfile},
	{"capabilities_baseline", Baseline, 0, latest, "", capabilities},
	{"hostNamespaces", Baseline, 0, latest, "", hostNamespaces},
	{"hostPathVolumes", Baseline, 0, latest, "", hostPathVolumes},
	{"hostPorts", Baseline, 0, latest, "", hostPorts},
	{"hostProbesAndhostLifecycle", Baseline, 34, latest, "", hostProbes},
	{"privileged", Baseline, 0, latest, "", privileged},
	{"procMount", Baseline, 0, 35, "", procMount},
	{"procMount", Baseline, 35, latest, "", unlessUserNamespace(procMount)},
	{"seLinuxOptions", Baseline, 0, 31, "", seLinuxOptions("")},
	{"seLinuxOptions", Baseline, 31, latest, "", seLinuxOptions("container_engine_t")},
	{"seccompProfile_baseline", Baseline, 0, 19, "", seccompAnnotations},
	{"seccompProfile_baseline", Baseline, 19, latest, "", seccompProfile},
	{"sysctls", Baseline, 0, 27, "", sysctls(0)},
	{"sysctls", Baseline, 27, 29, "", sysctls(1)},
	{"sysctls", Baseline, 29, 32, "", sysctls(5)},
	{"sysctls", Baseline, 32, latest, "", sysctls(7)},
	{"windowsHostProcess", Baseline, 0, latest, "", windowsHostProcess},
	{"allowPrivilegeEscalation", Restricted, 8, 25, "", allowPrivilegeEscalation},
	{"allowPrivilegeEscalation", Restricted, 25, latest, "", unlessWindows(allowPrivilegeEscalation)},
	{"capabilities_restricted", Restricted, 22, 25, "capabilities_baseline", capabilitiesRestricted},
	{"capabilities_restricted", Restricted, 25, latest, "capabilities_baseline", unlessWindows(capabilitiesRestricted)},
	{"procMount_restricted", Restricted, 35, latest, "procMount", procMount},
	{"restrictedVolumes", Restricted, 0, latest, "hostPathVolumes", restrictedVolumes},
	{"runAsNonRoot", Restricted, 0, 35, "", runAsNonRoot},
	{"runAsNonRoot", Restricted, 35, latest, "", unlessUserNamespace(runAsNonRoot)},
	{"runAsUser", Restricted, 23, 35, "", runAsUser},
	{"runAsUser", Restricted, 35, latest, "", unlessUserNamespace(runAsUser)},
	{"seccompProfile_restricted", Restricted, 19, 25, "seccompProfile_baseline", seccompProfileRestricted},
	{"seccompProfile_restricted", Restricted, 25, latest, "seccompProfile_baseline", unlessWindows(seccompProfileRestricted)},
}

// Evaluate judges a Pod, or the template of one. Upstream: policy/registry.go, checkRegistry.EvaluatePod.
func Evaluate(lv LevelVersion, meta *metav1.ObjectMeta, spec *corev1.PodSpec) (out Result) {
	minor := min(lv.minor, latest-1)
	instead := map[string]bool{}
	var active []*check
	for i := range checks {
		c := &checks[i]
		if strictness[c.level] <= strictness[lv.Level] && c.from <= minor && minor < c.until {
			active = append(active, c)
			instead[c.instead] = true
		}
	}
	p := newPod(meta, spec)
	for _, c := range active {
		if instead[c.id] {
			continue
		}
		if reason, detail := c.run(p); reason != "" {
			out.Reasons, out.Details = append(out.Reasons, reason), append(out.Details, detail)
		}
	}
	return out
}

// pod is what the rules look at.
type pod struct {
	meta       *metav1.ObjectMeta
	spec       *corev1.PodSpec
	context    corev1.PodSecurityContext
	containers []*corev1.Container // all: init, ordinary, ephemeral
}

func newPod(meta *metav1.ObjectMeta, spec *corev1.PodSpec) *pod {
	p := &pod{meta: meta, spec: spec}
	if spec.SecurityContext != nil {
		p.context = *spec.SecurityContext
	}
	for i := range spec.InitContainers {
		p.containers = append(p.containers, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		p.containers = append(p.containers, &spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		c := corev1.Container(spec.EphemeralContainers[i].EphemeralContainerCommon)
		p.containers = append(p.containers, &c)
	}
	return p
}

// bad are the names of the containers that a rule finds fault with. One without a security context is looked at with an empty one.
func (p *pod) bad(is func(c *corev1.Container, s *corev1.SecurityContext) bool) (names []string) {
	for _, c := range p.containers {
		s := c.SecurityContext
		if s == nil {
			s = &corev1.SecurityContext{}
		}
		if is(c, s) {
			names = append(names, c.Name)
		}
	}
	return names
}

// named is `container "a"` or `containers "a", "b"`.
func named(containers []string) string {
	return plural(len(containers), "container") + " " + quoted(containers)
}

// setters is who sets something: the Pod, containers, or both; "" when nobody does.
func setters(ofPod bool, containers []string) string {
	var out []string
	if ofPod {
		out = append(out, "pod")
	}
	if len(containers) > 0 {
		out = append(out, named(containers))
	}
	return strings.Join(out, " and ")
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func quoted(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return `"` + strings.Join(list, `", "`) + `"`
}

// set is a set of texts, listed in order.
type set map[string]bool

func (s set) list() []string { return slices.Sorted(maps.Keys(s)) }

func unlessWindows(run func(*pod) (string, string)) func(*pod) (string, string) {
	return func(p *pod) (string, string) {
		if p.spec.OS != nil && p.spec.OS.Name == corev1.Windows {
			return "", ""
		}
		return run(p)
	}
}

func unlessUserNamespace(run func(*pod) (string, string)) func(*pod) (string, string) {
	return func(p *pod) (string, string) {
		if p.spec.HostUsers != nil && !*p.spec.HostUsers {
			return "", ""
		}
		return run(p)
	}
}

func appArmorProfile(p *pod) (reason, detail string) {
	values := set{}
	isBad := func(a *corev1.AppArmorProfile) bool {
		if a == nil || a.Type == corev1.AppArmorProfileTypeRuntimeDefault || a.Type == corev1.AppArmorProfileTypeLocalhost {
			return false
		}
		values[string(a.Type)] = true
		return true
	}
	ofPod := isBad(p.context.AppArmorProfile)
	who := setters(ofPod, p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return isBad(s.AppArmorProfile) }))
	var annotations []string
	for key, value := range p.meta.Annotations { // order: sorted below
		if strings.HasPrefix(key, "container.apparmor.security.beta.kubernetes.io/") && value != "" && value != "runtime/default" &&
			!strings.HasPrefix(value, "localhost/") {
			annotations = append(annotations, fmt.Sprintf("%s=%q", key, value))
		}
	}
	slices.Sort(annotations)
	if len(annotations) > 0 {
		if who != "" {
			who += " and "
		}
		who += plural(len(annotations), "annotation")
	}
	all := append(values.list(), annotations...)
	if who == "" {
		return "", ""
	}
	return plural(len(all), "forbidden AppArmor profile"), who + " must not set AppArmor profile type to " + quoted(all)
}

// defaultCapabilities are those that containers get anyway.
var defaultCapabilities = []corev1.Capability{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP",
	"SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}

// adding are the containers that add other capabilities than those, and which.
func (p *pod) adding(allowed ...corev1.Capability) (names []string, added set) {
	added = set{}
	names = p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) (bad bool) {
		if s.Capabilities != nil {
			for _, c := range s.Capabilities.Add {
				if !slices.Contains(allowed, c) {
					added[string(c)], bad = true, true
				}
			}
		}
		return bad
	})
	return names, added
}

func capabilities(p *pod) (reason, detail string) {
	names, added := p.adding(defaultCapabilities...)
	if len(names) == 0 {
		return "", ""
	}
	return "non-default capabilities", fmt.Sprintf("%s must not include %s in securityContext.capabilities.add", named(names), quoted(added.list()))
}

func capabilitiesRestricted(p *pod) (reason, detail string) {
	var details []string
	keeping := p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool {
		return s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL")
	})
	if len(keeping) > 0 {
		details = append(details, named(keeping)+` must set securityContext.capabilities.drop=["ALL"]`)
	}
	if names, added := p.adding("NET_BIND_SERVICE"); len(names) > 0 {
		details = append(details, fmt.Sprintf("%s must not include %s in securityContext.capabilities.add", named(names), quoted(added.list())))
	}
	if len(details) == 0 {
		return "", ""
	}
	return "unrestricted capabilities", strings.Join(details, "; ")
}

func hostNamespaces(p *pod) (reason, detail string) {
	var list []string
	for _, n := range []struct {
		on   bool
		name string
	}{{p.spec.HostNetwork, "hostNetwork=true"}, {p.spec.HostPID, "hostPID=true"}, {p.spec.HostIPC, "hostIPC=true"}} {
		if n.on {
			list = append(list, n.name)
		}
	}
	if len(list) == 0 {
		return "", ""
	}
	return "host namespaces", strings.Join(list, ", ")
}

func hostPathVolumes(p *pod) (reason, detail string) {
	var names []string
	for i := range p.spec.Volumes {
		if p.spec.Volumes[i].HostPath != nil {
			names = append(names, p.spec.Volumes[i].Name)
		}
	}
	if len(names) == 0 {
		return "", ""
	}
	return "hostPath volumes", plural(len(names), "volume") + " " + quoted(names)
}

func hostPorts(p *pod) (reason, detail string) {
	ports := set{}
	names := p.bad(func(c *corev1.Container, _ *corev1.SecurityContext) (bad bool) {
		for i := range c.Ports {
			if port := c.Ports[i].HostPort; port != 0 {
				ports[strconv.Itoa(int(port))], bad = true, true
			}
		}
		return bad
	})
	if len(names) == 0 {
		return "", ""
	}
	return "hostPort", fmt.Sprintf("%s %s %s %s", named(names), uses(len(names)), plural(len(ports), "hostPort"), strings.Join(ports.list(), ", "))
}

func uses(n int) string {
	if n == 1 {
		return "uses"
	}
	return "use"
}

func hostProbes(p *pod) (reason, detail string) {
	hosts, names := set{}, set{}
	see := func(c *corev1.Container, http *corev1.HTTPGetAction, tcp *corev1.TCPSocketAction) {
		if http != nil && http.Host != "" {
			names[c.Name], hosts[http.Host] = true, true
		}
		if tcp != nil && tcp.Host != "" {
			names[c.Name], hosts[tcp.Host] = true, true
		}
	}
	for _, c := range p.containers {
		for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if probe != nil {
				see(c, probe.HTTPGet, probe.TCPSocket)
			}
		}
		if c.Lifecycle == nil {
			continue
		}
		for _, h := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if h != nil {
				see(c, h.HTTPGet, h.TCPSocket)
			}
		}
	}
	if len(names) == 0 {
		return "", ""
	}
	return "probe or lifecycle host", fmt.Sprintf("%s %s %s %s", named(names.list()), uses(len(names)), plural(len(hosts), "probe or lifecycle host"),
		quoted(hosts.list()))
}

func isTrue(b *bool) bool { return b != nil && *b }

func privileged(p *pod) (reason, detail string) {
	names := p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return isTrue(s.Privileged) })
	if len(names) == 0 {
		return "", ""
	}
	return "privileged", named(names) + " must not set securityContext.privileged=true"
}

func procMount(p *pod) (reason, detail string) {
	types := set{}
	names := p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool {
		if s.ProcMount == nil || *s.ProcMount == corev1.DefaultProcMount {
			return false
		}
		types[string(*s.ProcMount)] = true
		return true
	})
	if len(names) == 0 {
		return "", ""
	}
	return "procMount", named(names) + " must not set securityContext.procMount to " + quoted(types.list())
}

func seLinuxOptions(more string) func(*pod) (string, string) {
	allowed := []string{"", "container_t", "container_init_t", "container_kvm_t", more}
	return func(p *pod) (string, string) {
		types, user, role := set{}, false, false
		isBad := func(o *corev1.SELinuxOptions) bool {
			if o == nil {
				return false
			}
			ofType := !slices.Contains(allowed, o.Type)
			if ofType {
				types[o.Type] = true
			}
			user, role = user || o.User != "", role || o.Role != ""
			return ofType || o.User != "" || o.Role != ""
		}
		ofPod := isBad(p.context.SELinuxOptions)
		who := setters(ofPod, p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return isBad(s.SELinuxOptions) }))
		if who == "" {
			return "", ""
		}
		var what []string
		if len(types) > 0 {
			what = append(what, plural(len(types), "type")+" "+quoted(types.list()))
		}
		if user {
			what = append(what, "user may not be set")
		}
		if role {
			what = append(what, "role may not be set")
		}
		return "seLinuxOptions", who + " set forbidden securityContext.seLinuxOptions: " + strings.Join(what, "; ")
	}
}

// seccompAnnotations is for before there was a field. Upstream: check_seccompProfile_baseline.go, seccompProfileBaseline_1_0.
func seccompAnnotations(p *pod) (reason, detail string) {
	forbidden := set{}
	see := func(key string) {
		v, ok := p.meta.Annotations[key]
		if ok && v != "runtime/default" && v != "docker/default" && !strings.HasPrefix(v, "localhost/") {
			forbidden[fmt.Sprintf("%s=%q", key, v)] = true
		}
	}
	see("seccomp.security.alpha.kubernetes.io/pod")
	for _, c := range p.containers {
		see("container.seccomp.security.alpha.kubernetes.io/" + c.Name)
	}
	if len(forbidden) == 0 {
		return "", ""
	}
	return "seccompProfile", "forbidden " + plural(len(forbidden), "annotation") + " " + strings.Join(forbidden.list(), ", ")
}

func seccompProfile(p *pod) (reason, detail string) {
	values := set{}
	isBad := func(s *corev1.SeccompProfile) bool {
		if s == nil || s.Type == corev1.SeccompProfileTypeLocalhost || s.Type == corev1.SeccompProfileTypeRuntimeDefault {
			return false
		}
		values[string(s.Type)] = true
		return true
	}
	ofPod := isBad(p.context.SeccompProfile)
	who := setters(ofPod, p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return isBad(s.SeccompProfile) }))
	if who == "" {
		return "", ""
	}
	return "seccompProfile", who + " must not set securityContext.seccompProfile.type to " + quoted(values.list())
}

func seccompProfileRestricted(p *pod) (reason, detail string) {
	if reason, detail = seccompProfile(p); reason != "" || p.context.SeccompProfile != nil {
		return reason, detail
	}
	names := p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return s.SeccompProfile == nil })
	if len(names) == 0 {
		return "", ""
	}
	return "seccompProfile", "pod or " + named(names) + ` must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`
}

// safeSysctls are those that are allowed: five at first, more later.
var safeSysctls = []string{"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
	"net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout",
	"net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}

// sysctls allows the first five and so many more.
func sysctls(more int) func(*pod) (string, string) {
	return func(p *pod) (string, string) {
		var names []string
		for _, s := range p.context.Sysctls {
			if !slices.Contains(safeSysctls[:5+more], s.Name) {
				names = append(names, s.Name)
			}
		}
		if len(names) == 0 {
			return "", ""
		}
		return "forbidden sysctls", strings.Join(names, ", ")
	}
}

func windowsHostProcess(p *pod) (reason, detail string) {
	isBad := func(w *corev1.WindowsSecurityContextOptions) bool { return w != nil && isTrue(w.HostProcess) }
	who := setters(isBad(p.context.WindowsOptions), p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return isBad(s.WindowsOptions) }))
	if who == "" {
		return "", ""
	}
	return "hostProcess", who + " must not set securityContext.windowsOptions.hostProcess=true"
}

func allowPrivilegeEscalation(p *pod) (reason, detail string) {
	names := p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool {
		return s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation
	})
	if len(names) == 0 {
		return "", ""
	}
	return "allowPrivilegeEscalation != false", named(names) + " must set securityContext.allowPrivilegeEscalation=false"
}

func restrictedVolumes(p *pod) (reason, detail string) {
	var names []string
	types := set{}
	for i := range p.spec.Volumes {
		v := &p.spec.Volumes[i]
		if v.ConfigMap != nil || v.CSI != nil || v.DownwardAPI != nil || v.EmptyDir != nil || v.Ephemeral != nil || v.Image != nil ||
			v.PersistentVolumeClaim != nil || v.Projected != nil || v.Secret != nil {
			continue
		}
		names = append(names, v.Name)
		types[restrictedType(v)] = true
	}
	if len(names) == 0 {
		return "", ""
	}
	return "restricted volume types", fmt.Sprintf("%s %s %s %s %s", plural(len(names), "volume"), quoted(names), uses(len(names)),
		plural(len(types), "restricted volume type"), quoted(types.list()))
}

// restrictedType is what a volume of another type than the allowed ones is.
func restrictedType(v *corev1.Volume) string {
	for _, t := range []struct {
		is   bool
		name string
	}{
		{v.HostPath != nil, "hostPath"}, {v.GCEPersistentDisk != nil, "gcePersistentDisk"}, {v.AWSElasticBlockStore != nil, "awsElasticBlockStore"},
		{v.GitRepo != nil, "gitRepo"}, {v.NFS != nil, "nfs"}, {v.ISCSI != nil, "iscsi"}, {v.Glusterfs != nil, "glusterfs"}, {v.RBD != nil, "rbd"},
		{v.FlexVolume != nil, "flexVolume"}, {v.Cinder != nil, "cinder"}, {v.CephFS != nil, "cephfs"}, {v.Flocker != nil, "flocker"}, {v.FC != nil, "fc"},
		{v.AzureFile != nil, "azureFile"}, {v.VsphereVolume != nil, "vsphereVolume"}, {v.Quobyte != nil, "quobyte"}, {v.AzureDisk != nil, "azureDisk"},
		{v.PhotonPersistentDisk != nil, "photonPersistentDisk"}, {v.PortworxVolume != nil, "portworxVolume"}, {v.ScaleIO != nil, "scaleIO"},
		{v.StorageOS != nil, "storageos"},
	} {
		if t.is {
			return t.name
		}
	}
	return "unknown"
}

func runAsNonRoot(p *pod) (reason, detail string) {
	const why = "runAsNonRoot != true"
	ofPod := p.context.RunAsNonRoot
	who := setters(ofPod != nil && !*ofPod, p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool {
		return s.RunAsNonRoot != nil && !*s.RunAsNonRoot
	}))
	if who != "" {
		return why, who + " must not set securityContext.runAsNonRoot=false"
	}
	names := p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool {
		return s.RunAsNonRoot == nil && !isTrue(ofPod)
	})
	if len(names) == 0 {
		return "", ""
	}
	return why, "pod or " + named(names) + " must set securityContext.runAsNonRoot=true"
}

func runAsUser(p *pod) (reason, detail string) {
	isRoot := func(user *int64) bool { return user != nil && *user == 0 }
	who := setters(isRoot(p.context.RunAsUser), p.bad(func(_ *corev1.Container, s *corev1.SecurityContext) bool { return isRoot(s.RunAsUser) }))
	if who == "" {
		return "", ""
	}
	return "runAsUser=0", who + " must not set runAsUser=0"
}
