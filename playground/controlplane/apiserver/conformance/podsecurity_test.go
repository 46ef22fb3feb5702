package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	ourcorev1 "kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/apiserver/admission/podsecurity"
)

// pods makes Pods whose security settings are anything, mostly wrong.
type pods struct{ *rand.Rand }

func oneOf[T any](r pods, values ...T) T { return values[r.IntN(len(values))] }

// maybe is a pointer to one of the values, or nil.
func maybe[T any](r pods, values ...T) *T {
	if r.IntN(3) > 0 {
		return nil
	}
	v := oneOf(r, values...)
	return &v
}

func (r pods) seLinux() *corev1.SELinuxOptions {
	return maybe(r, corev1.SELinuxOptions{Type: oneOf(r, "", "container_t", "container_engine_t", "spc_t")}, corev1.SELinuxOptions{User: "u"},
		corev1.SELinuxOptions{Role: "r", Type: "x_t"})
}

func (r pods) seccomp() *corev1.SeccompProfile {
	return maybe(r, corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}, corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost},
		corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined})
}

func (r pods) appArmor() *corev1.AppArmorProfile {
	return maybe(r, corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}, corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined})
}

func (r pods) windows() *corev1.WindowsSecurityContextOptions {
	return maybe(r, corev1.WindowsSecurityContextOptions{HostProcess: maybe(r, true, false)})
}

func (r pods) probe() *corev1.Probe {
	return maybe(r, corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Host: oneOf(r, "", "a.example", "127.0.0.1")}}},
		corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Host: oneOf(r, "", "b.example")}}})
}

func (r pods) handler() *corev1.LifecycleHandler {
	return maybe(r, corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{Host: oneOf(r, "", "c.example")}},
		corev1.LifecycleHandler{TCPSocket: &corev1.TCPSocketAction{Host: oneOf(r, "", "d.example")}})
}

func (r pods) container(name string) corev1.Container {
	c := corev1.Container{Name: name, LivenessProbe: r.probe(), ReadinessProbe: r.probe(), StartupProbe: r.probe()}
	if r.IntN(3) == 0 {
		c.Lifecycle = &corev1.Lifecycle{PostStart: r.handler(), PreStop: r.handler()}
	}
	for range r.IntN(3) {
		c.Ports = append(c.Ports, corev1.ContainerPort{HostPort: oneOf[int32](r, 0, 80, 9, 443)})
	}
	if r.IntN(4) == 0 {
		return c
	}
	c.SecurityContext = &corev1.SecurityContext{
		Privileged: maybe(r, true, false), AllowPrivilegeEscalation: maybe(r, true, false), RunAsNonRoot: maybe(r, true, false),
		RunAsUser: maybe[int64](r, 0, 1000), ProcMount: maybe(r, corev1.DefaultProcMount, corev1.UnmaskedProcMount),
		SELinuxOptions: r.seLinux(), SeccompProfile: r.seccomp(), AppArmorProfile: r.appArmor(), WindowsOptions: r.windows(),
	}
	if r.IntN(2) == 0 {
		caps := &corev1.Capabilities{}
		for range r.IntN(3) {
			caps.Add = append(caps.Add, oneOf[corev1.Capability](r, "NET_RAW", "CHOWN", "NET_BIND_SERVICE", "SYS_TIME", "ALL"))
		}
		for range r.IntN(3) {
			caps.Drop = append(caps.Drop, oneOf[corev1.Capability](r, "ALL", "CHOWN"))
		}
		c.SecurityContext.Capabilities = caps
	}
	return c
}

func (r pods) volume(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: oneOf(r,
		corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{}}, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}}, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}},
		corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{}}, corev1.VolumeSource{Image: &corev1.ImageVolumeSource{}},
		corev1.VolumeSource{GitRepo: &corev1.GitRepoVolumeSource{}}, corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{}},
		corev1.VolumeSource{ScaleIO: &corev1.ScaleIOVolumeSource{}}, corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{}}, corev1.VolumeSource{})}
}

func (r pods) pod() *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Annotations: map[string]string{}}}
	s := &p.Spec
	if r.IntN(3) == 0 { // old annotations
		for _, key := range []string{"container.apparmor.security.beta.kubernetes.io/a", "container.apparmor.security.beta.kubernetes.io/b",
			"seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/a"} {
			if r.IntN(2) == 0 {
				p.Annotations[key] = oneOf(r, "", "runtime/default", "localhost/x", "docker/default", "unconfined")
			}
		}
	}
	s.HostNetwork, s.HostPID, s.HostIPC = r.IntN(5) == 0, r.IntN(5) == 0, r.IntN(5) == 0
	s.HostUsers = maybe(r, true, false)
	s.OS = maybe(r, corev1.PodOS{Name: corev1.Linux}, corev1.PodOS{Name: corev1.Windows})
	for i := range r.IntN(3) {
		s.Volumes = append(s.Volumes, r.volume(fmt.Sprint("v", i)))
	}
	for i := range r.IntN(2) {
		s.InitContainers = append(s.InitContainers, r.container(fmt.Sprint("init", i)))
	}
	for i := range 1 + r.IntN(2) {
		s.Containers = append(s.Containers, r.container(oneOf(r, "a", "b", "c")+oneOf(r, "", fmt.Sprint(i))))
	}
	for range r.IntN(2) {
		s.EphemeralContainers = append(s.EphemeralContainers, corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon(r.container("debug"))})
	}
	if r.IntN(2) == 0 {
		s.SecurityContext = &corev1.PodSecurityContext{SELinuxOptions: r.seLinux(), SeccompProfile: r.seccomp(), AppArmorProfile: r.appArmor(),
			WindowsOptions: r.windows(), RunAsNonRoot: maybe(r, true, false), RunAsUser: maybe[int64](r, 0, 1000)}
		for range r.IntN(3) {
			s.SecurityContext.Sysctls = append(s.SecurityContext.Sysctls, corev1.Sysctl{Name: oneOf(r, "kernel.shm_rmid_forced", "kernel.msgmax",
				"net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_rmem")})
		}
	}
	return p
}

// A Pod violates a level in a version for the reasons, and with the words, of upstream's evaluator.
func TestPodSecurityStandards(t *testing.T) {
	upstream, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	versions := []string{"latest"}
	for minor := range 41 {
		versions = append(versions, fmt.Sprint("v1.", minor))
	}
	violations := 0
	for i := range 400 {
		pod := pods{rand.New(rand.NewPCG(1, uint64(i)))}.pod()
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		var own ourcorev1.Pod
		if err := json.Unmarshal(text, &own); err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"privileged", "baseline", "restricted"} {
			for _, version := range versions {
				v, err := api.ParseVersion(version)
				if err != nil {
					t.Fatal(err)
				}
				lv := api.LevelVersion{Level: api.Level(level), Version: v}
				want := policy.AggregateCheckResults(upstream.EvaluatePod(lv, &pod.ObjectMeta, &pod.Spec))
				p, errs := podsecurity.PolicyOf(map[string]string{api.EnforceLevelLabel: level, api.EnforceVersionLabel: version})
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				got := podsecurity.Evaluate(p.Enforce, &own.ObjectMeta, &own.Spec)
				if got.Detail() != want.ForbiddenDetail() || got.Reason() != want.ForbiddenReason() || p.Enforce.String() != lv.String() {
					t.Fatalf("%s of %s\ngot  %s\nwant %s", lv, text, got.Detail(), want.ForbiddenDetail())
				}
				violations += len(got.Reasons)
			}
		}
	}
	if violations < 10_000 {
		t.Errorf("only %d violations were compared", violations)
	}
}

// A namespace's labels mean what they mean upstream, and what is wrong with them is said in the same words.
func TestPodSecurityLabels(t *testing.T) {
	r := pods{rand.New(rand.NewPCG(2, 2))}
	defaults := api.Policy{
		Enforce: api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()},
		Audit:   api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()},
		Warn:    api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()},
	}
	for range 2000 {
		labels := map[string]string{}
		for _, key := range []string{api.EnforceLevelLabel, api.AuditLevelLabel, api.WarnLevelLabel} {
			if r.IntN(2) == 0 {
				labels[key] = oneOf(r, "privileged", "baseline", "restricted", "strict", "")
			}
		}
		for _, key := range []string{api.EnforceVersionLabel, api.AuditVersionLabel, api.WarnVersionLabel} {
			if r.IntN(2) == 0 {
				labels[key] = oneOf(r, "latest", "v1.28", "v1.9", "1.28", "v1.028", "v2.1", "v1.99999999999999999999")
			}
		}
		want, wantErrs := api.PolicyToEvaluate(labels, defaults)
		got, errs := podsecurity.PolicyOf(labels)
		if fmt.Sprint(errs.ToAggregate()) != fmt.Sprint(wantErrs.ToAggregate()) || got.Enforce.String() != want.Enforce.String() ||
			got.Warn.String() != want.Warn.String() {
			t.Fatalf("%v\ngot  %v %v %v\nwant %v %v %v", labels, got.Enforce, got.Warn, errs, want.Enforce, want.Warn, wantErrs)
		}
	}
}
