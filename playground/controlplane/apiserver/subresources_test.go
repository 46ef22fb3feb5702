package apiserver

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func evict(name string) *client.Request {
	return &client.Request{Verb: client.Create, Resource: podsResource, Subresource: "eviction", Namespace: "default", Name: name,
		Object: &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}}
}

func patchSub(gvr api.GroupVersionResource, sub, name, patch string) *client.Request {
	return &client.Request{Verb: client.Patch, Resource: gvr, Subresource: sub, Namespace: "default", Name: name,
		PatchType: types.StrategicMergePatchType, Patch: []byte(patch)}
}

// running makes a Pod that runs on a node, ready or not.
func (w *world) running(p *sim.Proc, name string, ready string) {
	w.must(p, create(podsResource, newPod(name)))
	w.must(p, bind(name, "node-1"))
	w.must(p, patchSub(podsResource, "status", name, `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"`+ready+`"}]}}`))
}

func TestEviction(t *testing.T) {
	w := newWorld(t, trace.Off)
	budgets := api.Resolve("pdb").GroupVersionResource()
	budget := func(p *sim.Proc, status string) {
		w.must(p, patchSub(budgets, "status", "web", `{"status":`+status+`}`))
	}
	w.run(func(p *sim.Proc) {
		w.running(p, "a", "True")
		w.must(p, &client.Request{Verb: client.Create, Resource: budgets, Namespace: "default",
			Body: []byte(`{"metadata":{"name":"web"},"spec":{"minAvailable":2,"selector":{"matchLabels":{"app":"web"}}}}`)})
		_, err := w.do(p, evict("a"))
		if !apierrors.IsTooManyRequests(err) || err.Error() != "Cannot evict pod as it would violate the pod's disruption budget." {
			t.Errorf("a budget that was not seen yet: %v", err)
		}
		if cause := err.(*apierrors.StatusError).ErrStatus.Details.Causes[0].Message; cause != "The disruption budget web is still being processed by the server." {
			t.Errorf("cause %q", cause)
		}
		budget(p, `{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":2}`)
		_, err = w.do(p, evict("a"))
		if !apierrors.IsTooManyRequests(err) {
			t.Fatalf("nothing allowed: %v", err)
		}
		if cause := err.(*apierrors.StatusError).ErrStatus.Details.Causes[0].Message; cause != "The disruption budget web needs 2 healthy pods and has 2 currently" {
			t.Errorf("cause %q", cause)
		}
		// One is allowed: it is taken, and the Pod says why it goes.
		budget(p, `{"disruptionsAllowed":1,"currentHealthy":3}`)
		w.must(p, evict("a"))
		got := w.st.Current(key(budgets, "web")).(*policyv1.PodDisruptionBudget)
		if _, noted := got.Status.DisruptedPods["a"]; got.Status.DisruptionsAllowed != 0 || !noted || got.Status.Conditions[0].Status != "False" {
			t.Errorf("budget %+v", got.Status)
		}
		pod := w.st.Current(key(podsResource, "a")).(*corev1.Pod)
		if c := pod.Status.Conditions[len(pod.Status.Conditions)-1]; pod.DeletionTimestamp == nil || c.Type != corev1.DisruptionTarget ||
			c.Reason != "EvictionByEvictionAPI" || c.Message != "Eviction API: evicting" {
			t.Errorf("pod %+v", pod.Status)
		}
		// A Pod that is not ready goes if enough others are, whatever the budget allows.
		w.running(p, "sick", "False")
		w.must(p, evict("sick"))
		// And a Pod that never ran goes in any case.
		w.must(p, create(podsResource, newPod("waiting")))
		w.must(p, evict("waiting"))
		if w.st.Current(key(podsResource, "waiting")) != nil {
			t.Error("waiting is there")
		}
		// Two budgets are one too many.
		w.running(p, "b", "True")
		w.must(p, &client.Request{Verb: client.Create, Resource: budgets, Namespace: "default",
			Body: []byte(`{"metadata":{"name":"all"},"spec":{"maxUnavailable":1,"selector":{}}}`)})
		if _, err = w.do(p, evict("b")); err == nil ||
			err.Error() != "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support." {
			t.Errorf("%v", err)
		}
	})
}

func TestScales(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		template := `"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`
		for _, c := range []struct{ resource, spec string }{
			{"rs", `"selector":{"matchLabels":{"app":"a"}},` + template},
			{"deploy", `"selector":{"matchLabels":{"app":"a"}},` + template},
			{"sts", `"serviceName":"a","selector":{"matchLabels":{"app":"a"}},` + template},
			{"rc", `"selector":{"app":"a"},` + template},
		} {
			gvr := api.Resolve(c.resource).GroupVersionResource()
			w.must(p, &client.Request{Verb: client.Create, Resource: gvr, Namespace: "default",
				Body: []byte(`{"metadata":{"name":"a"},"spec":{"replicas":1,` + c.spec + `}}`)})
			got := w.must(p, patchSub(gvr, "scale", "a", `{"spec":{"replicas":4}}`))
			text, _ := api.Encode(got)
			if !strings.Contains(string(text), `"spec":{"replicas":4}`) || !strings.Contains(string(text), `"selector":"app=a"`) {
				t.Errorf("%s: %s", c.resource, text)
			}
			text, _ = api.Encode(w.must(p, get(gvr, "a")))
			if !strings.Contains(string(text), `"replicas":4`) {
				t.Errorf("%s: %s", c.resource, text)
			}
		}
	})
}

func TestEphemeralContainers(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		w.must(p, create(podsResource, newPod("a")))
		add := `{"spec":{"ephemeralContainers":[{"name":"debug","image":"busybox","targetContainerName":"web"}]}}`
		pod := w.must(p, patchSub(podsResource, "ephemeralcontainers", "a", add)).(*corev1.Pod)
		if len(pod.Spec.EphemeralContainers) != 1 || pod.Generation != 2 || pod.Spec.EphemeralContainers[0].TerminationMessagePath == "" {
			t.Errorf("%+v", pod.Spec.EphemeralContainers)
		}
		for _, c := range []struct{ sub, patch, want string }{
			{"ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"debug","image":"other"}]}}`, `existing ephemeral containers "debug" may not be changed`},
			{"ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"debug","$patch":"delete"}]}}`, `existing ephemeral containers "debug" may not be removed`},
			{"ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"web","image":"x"}]}}`, `spec.ephemeralContainers[0].name: Duplicate value: "web"`},
			{"ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"y","image":"x","ports":[{"containerPort":1}]}]}}`,
				`spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container`},
			{"ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"y","image":"x","targetContainerName":"z"}]}}`,
				`spec.ephemeralContainers[0].targetContainerName: Not found: "z"`},
		} {
			if _, err := w.do(p, patchSub(podsResource, c.sub, "a", c.patch)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.patch, err, c.want)
			}
		}
	})
}

func TestResize(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.run(func(p *sim.Proc) {
		body := `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"web","image":"nginx","resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"cpu":"200m"}}}]}}`
		w.must(p, &client.Request{Verb: client.Create, Resource: podsResource, Namespace: "default", Body: []byte(body)})
		pod := w.must(p, patchSub(podsResource, "resize", "a",
			`{"metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"web","image":"other","resources":{"requests":{"cpu":"150m"}}}]}}`)).(*corev1.Pod)
		if c := pod.Spec.Containers[0]; c.Image != "nginx" || c.Resources.Requests.Cpu().String() != "150m" || pod.Generation != 2 || pod.Labels["x"] != "" {
			t.Errorf("%+v", pod)
		}
		for _, c := range []struct{ resources, want string }{
			{`{"requests":{"memory":null}}`, `spec.containers[0].resources.requests[memory]: Forbidden: resource requests cannot be removed`},
			{`{"requests":{"ephemeral-storage":"1Gi"}}`, `spec.containers[0].resources.requests: Forbidden: only cpu and memory resources are mutable`},
			{`{"requests":{"cpu":"200m","memory":"64Mi"},"limits":{"cpu":"200m","memory":"64Mi"}}`,
				`spec: Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing`},
		} {
			_, err := w.do(p, patchSub(podsResource, "resize", "a", `{"spec":{"containers":[{"name":"web","resources":`+c.resources+`}]}}`))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.resources, err, c.want)
			}
		}
	})
}

func TestTokens(t *testing.T) {
	w := newWorld(t, trace.Off)
	accounts := api.Resolve("sa").GroupVersionResource()
	w.run(func(p *sim.Proc) {
		w.must(p, create(accounts, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot", Namespace: "default"}}))
		ask := func(body string) (client.Result, error) {
			return w.do(p, &client.Request{Verb: client.Create, Resource: accounts, Subresource: "token", Namespace: "default", Name: "robot", Body: []byte(body)})
		}
		result, err := ask(`{"spec":{"audiences":null,"expirationSeconds":600,"boundObjectRef":null}}`)
		if err != nil {
			t.Fatal(err)
		}
		token := result.(*authenticationv1.TokenRequest)
		claims, err := base64.RawURLEncoding.DecodeString(strings.Split(token.Status.Token, ".")[1])
		if err != nil || !strings.Contains(string(claims), `"sub":"system:serviceaccount:default:robot"`) ||
			!strings.Contains(string(claims), `"aud":["https://kubernetes.default.svc.cluster.local"]`) {
			t.Errorf("%s %v", claims, err)
		}
		if d := token.Status.ExpirationTimestamp.Sub(p.Time()); d < 9*time.Minute || d > 10*time.Minute {
			t.Errorf("it expires in %v", d)
		}
		if _, err := ask(`{"spec":{"expirationSeconds":5}}`); fmt.Sprint(err) != `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes` {
			t.Errorf("%v", err)
		}
		if _, err := ask(`{"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"gone"}}}`); !apierrors.IsNotFound(err) {
			t.Errorf("%v", err)
		}
	})
}

// fakeKubelets answers with what it was asked.
type fakeKubelets struct{}

func (fakeKubelets) ContainerLogs(_ *sim.Proc, pod *corev1.Pod, opts *corev1.PodLogOptions) (string, error) {
	return "log of " + pod.Name + "/" + opts.Container + "\n", nil
}

func (fakeKubelets) Attach(*sim.Proc, *corev1.Pod, string, *client.ExecOptions) (Session, error) {
	return nil, errors.New("nobody is asked")
}

func (fakeKubelets) Exec(*sim.Proc, *corev1.Pod, string, *client.ExecOptions) (Session, error) {
	return nil, errors.New("nobody is asked")
}

func (fakeKubelets) RunInContainer(_ *sim.Proc, pod *corev1.Pod, container string, command []string, _ string) (*client.Text, error) {
	return &client.Text{Body: pod.Name + "/" + container + ": " + strings.Join(command, " "), ExitCode: 3}, nil
}

func (fakeKubelets) FollowLogs(*sim.Proc, *corev1.Pod, *corev1.PodLogOptions) (Follower, error) {
	return nil, errors.New("this kubelet follows nothing")
}

func (fakeKubelets) PortForward(*sim.Proc, *corev1.Pod, int, string, string) (int, string, error) {
	return 0, "", errors.New("this kubelet forwards nothing")
}

func TestLogsAndExec(t *testing.T) {
	w := newWorld(t, trace.Off)
	w.s.ConnectKubelets(fakeKubelets{})
	w.run(func(p *sim.Proc) {
		w.running(p, "a", "True")
		r := get(podsResource, "a")
		r.Subresource = "log"
		if got := w.must(p, r).(*client.Text).Body; got != "log of a/web\n" {
			t.Errorf("%q", got)
		}
		r.Log = &corev1.PodLogOptions{Container: "x"}
		if _, err := w.do(p, r); fmt.Sprint(err) != "container x is not valid for pod a" {
			t.Errorf("%v", err)
		}
		exec := &client.Request{Verb: client.Create, Resource: podsResource, Subresource: "exec", Namespace: "default", Name: "a",
			Exec: &client.ExecOptions{Command: []string{"ls", "/"}}}
		if got := w.must(p, exec).(*client.Text); got.Body != "a/web: ls /" || got.ExitCode != 3 {
			t.Errorf("%+v", got)
		}
		two := newPod("two")
		two.Spec.Containers = append(two.Spec.Containers, corev1.Container{Name: "side", Image: "x"})
		w.must(p, create(podsResource, two))
		exec.Name = "two"
		if _, err := w.do(p, exec); fmt.Sprint(err) != "a container name must be specified for pod two, choose one of: [web side]" {
			t.Errorf("%v", err)
		}
	})
}
