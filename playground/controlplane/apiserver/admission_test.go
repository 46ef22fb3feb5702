package apiserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// allPlugins is a server with the whole of admission.
func allPlugins() Options {
	o := DefaultOptions()
	o.DisableAdmissionPlugins = nil
	return o
}

func TestPluginOrder(t *testing.T) {
	w := newWorldWith(t, trace.Off, allPlugins())
	want := []string{"NamespaceLifecycle", "LimitRanger", "ServiceAccount", "NodeRestriction", "TaintNodesByCondition", "PodSecurity", "Priority", "DefaultTolerationSeconds",
		"DefaultStorageClass", "StorageObjectInUseProtection", "PersistentVolumeClaimResize", "RuntimeClass", "DefaultIngressClass",
		"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook", "ResourceQuota"}
	if got := w.s.admission.Plugins(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func pod(name, resources string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":{"containers":[{"name":"web","image":"nginx","resources":` + resources + `}]}}`
}

func TestLimitRanger(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, post("limits", `{"metadata":{"name":"l"},"spec":{"limits":[
			{"type":"Container","min":{"cpu":"50m"},"max":{"cpu":"800m","memory":"1Gi"},"default":{"cpu":"400m","memory":"512Mi"},"defaultRequest":{"cpu":"100m","memory":"256Mi"},"maxLimitRequestRatio":{"cpu":"4"}},
			{"type":"Pod","max":{"memory":"2Gi"}},{"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"10Gi"}}]}}`))
		got := w.must(p, post("pods", pod("a", `{}`))).(*corev1.Pod)
		c := got.Spec.Containers[0].Resources
		if c.Requests.Cpu().String() != "100m" || c.Limits.Memory().String() != "512Mi" ||
			got.Annotations["kubernetes.io/limit-ranger"] != "LimitRanger plugin set: cpu, memory request for container web; cpu, memory limit for container web" {
			t.Errorf("%v %v", c, got.Annotations)
		}
		for _, c := range []struct{ resources, want string }{
			{`{"requests":{"cpu":"1"},"limits":{"cpu":"1500m"}}`, `[maximum cpu usage per Container is 800m, but limit is 1500m]`},
			{`{"requests":{"cpu":"20m"},"limits":{"cpu":"40m"}}`, `minimum cpu usage per Container is 50m, but request is 20m`},
			{`{"requests":{"cpu":"100m"},"limits":{"cpu":"500m"}}`, `cpu max limit to request ratio per Container is 4, but provided ratio is 5.000000`},
			{`{"limits":{"memory":"3Gi"}}`, `[maximum memory usage per Container is 1Gi, but limit is 3Gi, maximum memory usage per Pod is 2Gi, but limit is 3Gi]`},
		} {
			_, err := w.do(p, post("pods", pod("b", c.resources)))
			want := `pods "b" is forbidden: ` + strings.Trim(c.want, "[]")
			if strings.Contains(c.want, ", maximum") {
				want = `pods "b" is forbidden: ` + c.want
			}
			if err == nil || !apierrors.IsForbidden(err) || err.Error() != want {
				t.Errorf("%s\ngot  %v\nwant %s", c.resources, err, want)
			}
		}
		claim := `{"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"20Gi"}}}}`
		if _, err := w.do(p, post("pvc",
			claim)); fmt.Sprint(err) != `persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 20Gi` {
			t.Errorf("%v", err)
		}
	})
}

func TestServiceAccounts(t *testing.T) {
	w := newWorldWith(t, trace.Off, allPlugins())
	w.run(func(p *sim.Proc) {
		before := p.Now()
		_, err := w.do(p, post("pods", pod("a", `{}`)))
		if fmt.Sprint(err) != `pods "a" is forbidden: error looking up service account default/default: serviceaccount "default" not found` {
			t.Errorf("%v", err)
		}
		if d := p.Now() - before; d < 900*time.Millisecond || d > 2*time.Second {
			t.Errorf("the default account was waited for for %v", d)
		}
		w.must(p, post("sa", `{"metadata":{"name":"default"},"imagePullSecrets":[{"name":"registry"}]}`))
		got := w.must(p, post("pods",
			`{"metadata":{"name":"a"},"spec":{"initContainers":[{"name":"init","image":"x"}],"containers":[{"name":"web","image":"nginx"},{"name":"own","image":"x","volumeMounts":[{"name":"v","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}],"volumes":[{"name":"v"}]}}`)).(*corev1.Pod)
		volume := got.Spec.Volumes[1]
		if !strings.HasPrefix(volume.Name, "kube-api-access-") || len(volume.Projected.Sources) != 3 || got.Spec.ImagePullSecrets[0].Name != "registry" {
			t.Errorf("%+v", got.Spec)
		}
		if got.Spec.InitContainers[0].VolumeMounts[0].Name != volume.Name || got.Spec.Containers[0].VolumeMounts[0].Name != volume.Name ||
			len(got.Spec.Containers[1].VolumeMounts) != 1 {
			t.Errorf("mounts: %+v", got.Spec.Containers)
		}
		no := w.must(p, post("pods",
			`{"metadata":{"name":"b"},"spec":{"automountServiceAccountToken":false,"containers":[{"name":"web","image":"nginx"}]}}`)).(*corev1.Pod)
		if no.Spec.Volumes != nil || no.Spec.ServiceAccountName != "default" {
			t.Errorf("%+v", no.Spec)
		}
		if _, err := w.do(p, post("pods",
			`{"metadata":{"name":"c"},"spec":{"serviceAccountName":"robot","containers":[{"name":"web","image":"nginx"}]}}`)); fmt.Sprint(err) !=
			`pods "c" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found` {
			t.Errorf("%v", err)
		}
	})
}

func TestPriority(t *testing.T) {
	w := newWorld(t, trace.Off)
	class := func(name, class, more string) string {
		return `{"metadata":{"name":"` + name + `"},"spec":{"priorityClassName":"` + class + `","containers":[{"name":"web","image":"nginx"}]` + more + `}}`
	}
	w.run(func(p *sim.Proc) {
		got := w.must(p, post("pods", class("a", "system-node-critical", ""))).(*corev1.Pod)
		if *got.Spec.Priority != 2000001000 || *got.Spec.PreemptionPolicy != "PreemptLowerPriority" {
			t.Errorf("%v", *got.Spec.Priority)
		}
		w.must(p, post("pc", `{"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"}`))
		got = w.must(p, post("pods", class("b", "high", ""))).(*corev1.Pod)
		if *got.Spec.Priority != 1000 || *got.Spec.PreemptionPolicy != "Never" {
			t.Errorf("%v", *got.Spec.Priority)
		}
		if got = w.must(p, post("pods", class("c", "", ""))).(*corev1.Pod); *got.Spec.Priority != 0 {
			t.Errorf("%v", *got.Spec.Priority)
		}
		w.must(p, post("pc", `{"metadata":{"name":"usual"},"value":10,"globalDefault":true}`))
		if got = w.must(p, post("pods", class("d", "", ""))).(*corev1.Pod); *got.Spec.Priority != 10 || got.Spec.PriorityClassName != "usual" {
			t.Errorf("%v", *got.Spec.Priority)
		}
		for _, c := range []struct{ resource, body, want string }{
			{"pods", `{"metadata":{"name":"x"},"spec":{"runtimeClassName":"gvisor","containers":[{"name":"web","image":"nginx"}]}}`,
				`pods "x" is forbidden: pod rejected: RuntimeClass "gvisor" not found`},
			{"pods", class("x", "nosuch", ""), `pods "x" is forbidden: no PriorityClass with name nosuch was found`},
			{"pods", class("x", "high", `,"priority":7`),
				`pods "x" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name`},
			{"pods", class("x", "high", `,"preemptionPolicy":"PreemptLowerPriority"`),
				`pods "x" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name`},
			{"pc", `{"metadata":{"name":"second"},"value":5,"globalDefault":true}`,
				`priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist`},
		} {
			if _, err := w.do(p, post(c.resource, c.body)); fmt.Sprint(err) != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		}
	})
}

func TestClassesByDefault(t *testing.T) {
	w := newWorldWith(t, trace.Off, allPlugins())
	w.run(func(p *sim.Proc) {
		claim := `{"metadata":{"name":"%s"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`
		got := w.must(p, post("pvc", fmt.Sprintf(claim, "a"))).(*corev1.PersistentVolumeClaim)
		if got.Spec.StorageClassName != nil || !slices.Contains(got.Finalizers, "kubernetes.io/pvc-protection") {
			t.Errorf("%+v", got)
		}
		w.must(p, post("sc", `{"metadata":{"name":"old","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"x"}`))
		p.Sleep(time.Second)
		w.must(p, post("sc", `{"metadata":{"name":"new","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"x"}`))
		if got = w.must(p, post("pvc", fmt.Sprintf(claim, "b"))).(*corev1.PersistentVolumeClaim); got.Spec.StorageClassName == nil ||
			*got.Spec.StorageClassName != "new" {
			t.Errorf("%+v", got.Spec)
		}
		w.must(p, post("ingressclass",
			`{"metadata":{"name":"main","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{"controller":"example.com/c"}}`))
		ingress := w.must(p, post("ing",
			`{"metadata":{"name":"web"},"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}`)).(*networkingv1.Ingress)
		if ingress.Spec.IngressClassName == nil || *ingress.Spec.IngressClassName != "main" {
			t.Errorf("%+v", ingress.Spec)
		}
		node := w.must(p, post("nodes", `{"metadata":{"name":"n"}}`)).(*corev1.Node)
		if len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Key != "node.kubernetes.io/not-ready" || node.Spec.Taints[0].Effect != "NoSchedule" {
			t.Errorf("%+v", node.Spec)
		}
	})
}

func TestResourceQuota(t *testing.T) {
	w := newWorld(t, trace.Off)
	quotas := api.Resolve("quota").GroupVersionResource()
	used := func() string {
		q := w.st.Current(key(quotas, "q")).(*corev1.ResourceQuota)
		pods, cpu := q.Status.Used["pods"], q.Status.Used["requests.cpu"]
		return pods.String() + " " + cpu.String()
	}
	w.run(func(p *sim.Proc) {
		w.must(p, post("quota", `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"2","requests.cpu":"1"}}}`))
		// Its controller has not counted yet: it has no status, and says nothing.
		w.must(p, post("pods", pod("early", `{}`)))
		w.must(p, remove(podsResource, "early", metav1.DeleteOptions{}))
		w.must(p, patchSub(quotas, "status", "q", `{"status":{"hard":{"pods":"2","requests.cpu":"1"}}}`))
		if _, err := w.do(p, post("pods", pod("a",
			`{"requests":{"cpu":"1"}}`))); fmt.Sprint(err) != `pods "a" is forbidden: status unknown for quota: q, resources: pods,requests.cpu` {
			t.Errorf("%v", err)
		}
		w.must(p, patchSub(quotas, "status", "q", `{"status":{"used":{"pods":"0","requests.cpu":"0"}}}`))
		if _, err := w.do(p, post("pods", pod("a", `{}`))); fmt.Sprint(err) != `pods "a" is forbidden: failed quota: q: must specify requests.cpu for: web` {
			t.Errorf("%v", err)
		}
		dry := post("pods", pod("a", `{"requests":{"cpu":"600m"}}`))
		dry.DryRun = true
		w.must(p, dry)
		w.must(p, post("pods", pod("a", `{"requests":{"cpu":"600m"}}`)))
		expect(t, "used", used(), "1 600m")
		if _, err := w.do(p, post("pods", pod("b",
			`{"requests":{"cpu":"500m"}}`))); fmt.Sprint(err) !=
			`pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1` {
			t.Errorf("%v", err)
		}
		w.must(p, post("pods", pod("b", `{"requests":{"cpu":"100m"}}`)))
		if _, err := w.do(p, post("pods", pod("c",
			`{"requests":{"cpu":"900m"}}`))); fmt.Sprint(err) !=
			`pods "c" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=900m, used: pods=2,requests.cpu=700m, limited: pods=2,requests.cpu=1` {
			t.Errorf("%v", err)
		}
	})
	// Many at once: none gets what another took.
	w = newWorld(t, trace.Off)
	made, milli := 0, 0
	w.run(func(p *sim.Proc) {
		w.must(p, post("quota", `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"15","requests.cpu":"9"}}}`))
		w.must(p, patchSub(quotas, "status", "q", `{"status":{"hard":{"pods":"15","requests.cpu":"9"},"used":{"pods":"0","requests.cpu":"0"}}}`))
		for i := range 30 {
			w.client.Go("creator", func(p *sim.Proc) {
				cpu := 10 + i%3
				if _, err := w.do(p, post("pods", pod(fmt.Sprint("p", i), fmt.Sprintf(`{"requests":{"cpu":"%dm"}}`, cpu)))); err == nil {
					made, milli = made+1, milli+cpu
				}
			})
		}
		p.Sleep(10 * time.Second)
	})
	if want := fmt.Sprintf("15 %dm", milli); made != 15 || used() != want {
		t.Errorf("%d Pods were made, %s are counted, want %s", made, used(), want)
	}
}

var _ client.Transport = (*Server)(nil)
