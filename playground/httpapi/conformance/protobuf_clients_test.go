package conformance

import (
	"context"
	"net/http"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"kubewalk/playground/cluster"
)

const protobufOnly = runtime.ContentTypeProtobuf

// A client that takes protobuf alone sees what one sees that takes JSON.
func TestProtobufAlone(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 10)
	plain := kubernetes.NewForConfigOrDie(p.config())
	config := p.config()
	config.ContentType, config.AcceptContentTypes = protobufOnly, protobufOnly
	clients := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	nodes, err := clients.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer nodes.Stop()
	if e := <-nodes.ResultChan(); e.Type != watch.Added || e.Object.(*corev1.Node).Name == "" {
		t.Errorf("the first event: %+v", e)
	}
	deployments := clients.AppsV1().Deployments("default")
	made, err := deployments.Create(ctx, deployment("web", 2), metav1.CreateOptions{})
	if err != nil || made.UID == "" || made.Spec.Strategy.RollingUpdate == nil || made.Spec.Strategy.RollingUpdate.MaxSurge.StrVal != "25%" {
		t.Fatalf("created: %v, %+v", err, made)
	}
	eventually(t, "the Deployment is available", func() bool {
		d, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 2
	})
	if _, err := clients.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"},
		Data: map[string]string{"a": "", "b": "ü"}, BinaryData: map[string][]byte{"x": {0, 1, 255}}}, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := clients.PolicyV1().PodDisruptionBudgets("default").Create(ctx, &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "none"}}}}, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	same := func(what string, list func(c *kubernetes.Clientset) (runtime.Object, error)) {
		t.Helper()
		eventually(t, what+" are the same", func() bool {
			a, err := list(plain)
			if err != nil {
				t.Fatalf("%s in JSON: %v", what, err)
			}
			b, err := list(clients)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return equality.Semantic.DeepEqual(a, b)
		})
	}
	all := metav1.ListOptions{}
	same("Deployments", func(c *kubernetes.Clientset) (runtime.Object, error) {
		return c.AppsV1().Deployments("").List(ctx, all)
	})
	same("ReplicaSets", func(c *kubernetes.Clientset) (runtime.Object, error) {
		return c.AppsV1().ReplicaSets("").List(ctx, all)
	})
	same("Pods", func(c *kubernetes.Clientset) (runtime.Object, error) { return c.CoreV1().Pods("").List(ctx, all) })
	same("ConfigMaps", func(c *kubernetes.Clientset) (runtime.Object, error) { return c.CoreV1().ConfigMaps("").List(ctx, all) })
	same("Events", func(c *kubernetes.Clientset) (runtime.Object, error) { return c.EventsV1().Events("").List(ctx, all) })
	same("Services", func(c *kubernetes.Clientset) (runtime.Object, error) { return c.CoreV1().Services("").List(ctx, all) })
	same("EndpointSlices", func(c *kubernetes.Clientset) (runtime.Object, error) {
		return c.DiscoveryV1().EndpointSlices("").List(ctx, all)
	})
	same("PodDisruptionBudgets", func(c *kubernetes.Clientset) (runtime.Object, error) {
		return c.PolicyV1().PodDisruptionBudgets("").List(ctx, all)
	})
	same("Leases", func(c *kubernetes.Clientset) (runtime.Object, error) {
		return c.CoordinationV1().Leases("none").List(ctx, all)
	})

	scale, err := deployments.UpdateScale(ctx, "web", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: autoscalingv1.ScaleSpec{Replicas: 3}}, metav1.UpdateOptions{})
	if err != nil || scale.Spec.Replicas != 3 {
		t.Errorf("scaled: %v, %+v", err, scale)
	}
	patched, err := deployments.Patch(ctx, "web", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	if err != nil || patched.Labels["a"] != "b" {
		t.Errorf("patched: %v, %+v", err, patched)
	}
	token, err := clients.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil || token.Status.Token == "" {
		t.Errorf("a token: %v", err)
	}
	review, err := clients.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "pods"}}},
		metav1.CreateOptions{})
	if err != nil || !review.Status.Allowed {
		t.Errorf("a review: %v, %+v", err, review)
	}
	if _, err := deployments.Get(ctx, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) || err.Error() != `deployments.apps "none" not found` {
		t.Errorf("what is not there: %v", err)
	}
	if err := deployments.Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	groups, err := clients.Discovery().RESTClient().Get().AbsPath("/apis").SetHeader("Accept", protobufOnly).Do(ctx).Get()
	if list, ok := groups.(*metav1.APIGroupList); err != nil || !ok || len(list.Groups) < 15 {
		t.Errorf("discovery: %v, %T", err, groups)
	}
}

// A custom kind has no form in protobuf, and nothing is written before that is said; its metadata has one.
func TestProtobufOfCustomKinds(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 10)
	clients := kubernetes.NewForConfigOrDie(p.config()).RESTClient()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := clients.Post().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").SetHeader("Content-Type", "application/json").Body([]byte(`{
		"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"plural":"foos","kind":"Foo"},"scope":"Namespaced",
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)).Do(ctx).Error()
	if err != nil {
		t.Fatal(err)
	}
	const foos = "/apis/example.com/v1/namespaces/default/foos"
	eventually(t, "the kind is served", func() bool { return clients.Get().AbsPath(foos).Do(ctx).Error() == nil })
	create := func(accept string) error {
		return clients.Post().AbsPath(foos).SetHeader("Content-Type", "application/json").SetHeader("Accept", accept).
			Body([]byte(`{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"}}`)).Do(ctx).Error()
	}
	code := func(err error) int32 {
		if status, ok := err.(apierrors.APIStatus); ok {
			return status.Status().Code
		}
		return 0
	}
	if err := create(protobufOnly); code(err) != http.StatusNotAcceptable {
		t.Errorf("in protobuf: %v", err)
	}
	if err := create("application/json"); err != nil { // the one before has written nothing
		t.Errorf("in JSON: %v", err)
	}
	if err := clients.Get().AbsPath(foos).SetHeader("Accept", protobufOnly+";as=Table;g=meta.k8s.io;v=v1").Do(ctx).Error(); code(err) != http.StatusNotAcceptable {
		t.Errorf("a table: %v", err)
	}
	body, err := clients.Get().AbsPath(foos).SetHeader("Accept", protobufOnly+";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").DoRaw(ctx)
	var wire runtime.Unknown
	var list metav1.PartialObjectMetadataList
	if err == nil {
		err = wire.Unmarshal(body[4:])
	}
	if err == nil {
		err = list.Unmarshal(wire.Raw)
	}
	if err != nil || wire.Kind != "PartialObjectMetadataList" || len(list.Items) != 1 || list.Items[0].Name != "a" {
		t.Errorf("metadata alone: %v, %+v", err, list)
	}
}
