package conformance

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"kubewalk/playground/cluster"
)

func (p *port) config() *rest.Config {
	p.Helper()
	c, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig())
	if err != nil {
		p.Fatal(err)
	}
	return c
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within 30 s: %s", what)
}

func deployment(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}}}},
	}
}

// An informer's cache holds what the server has, through creations, updates and deletions.
func TestInformers(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 10)
	clients := kubernetes.NewForConfigOrDie(p.config())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(clients, 0)
	pods, deployments := factory.Core().V1().Pods(), factory.Apps().V1().Deployments()
	var added, deleted atomic.Int32
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { added.Add(1) }, DeleteFunc: func(any) { deleted.Add(1) },
	}); err != nil {
		t.Fatal(err)
	}
	deployments.Informer()
	factory.Start(ctx.Done())
	for typ, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Fatalf("%v did not sync", typ)
		}
	}
	if _, err := clients.AppsV1().Deployments("default").Create(ctx, deployment("web", 3), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "three Pods are Running in the cache", func() bool {
		list, _ := pods.Lister().Pods("default").List(labels.SelectorFromSet(labels.Set{"app": "web"}))
		return len(list) == 3 && !slices.ContainsFunc(list, func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodRunning })
	})
	scale, err := clients.AppsV1().Deployments("default").GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 1
	if _, err := clients.AppsV1().Deployments("default").UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "one Pod is left in the cache", func() bool {
		list, _ := pods.Lister().List(labels.Everything())
		d, err := deployments.Lister().Deployments("default").Get("web")
		return len(list) == 1 && err == nil && d.Status.ReadyReplicas == 1 && deleted.Load() == 2
	})
	if n := added.Load(); n != 3 {
		t.Errorf("%d Pods were added, want 3", n)
	}
	// Metadata alone, which the garbage collector and many operators ask for.
	list, err := metadata.NewForConfigOrDie(p.config()).Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace("default").List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Labels["app"] != "web" {
		t.Errorf("metadata: %v, %v", list, err)
	}
}

// A list in pages is one list, and an expired token is answered as upstream does.
func TestPages(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	clients := kubernetes.NewForConfigOrDie(p.config())
	ctx := context.Background()
	for i := range 25 {
		if _, err := clients.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%02d", i)}},
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	options := metav1.ListOptions{Limit: 10}
	for pages := 1; ; pages++ {
		list, err := clients.CoreV1().ConfigMaps("default").List(ctx, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list.Items {
			names = append(names, c.Name)
		}
		if options.Continue = list.Continue; options.Continue == "" {
			if pages != 3 {
				t.Errorf("%d pages, want 3", pages)
			}
			break
		}
	}
	if len(slices.Compact(names)) < 25 || !slices.IsSorted(names) {
		t.Errorf("names: %v", names)
	}
	options.Continue = "nonsense"
	if _, err := clients.CoreV1().ConfigMaps("default").List(ctx, options); !apierrors.IsBadRequest(err) {
		t.Errorf("a continue token that is none: %v", err)
	}
	old := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c01", ResourceVersion: "1"}}
	_, err := clients.CoreV1().ConfigMaps("default").Update(ctx, old, metav1.UpdateOptions{})
	if !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
}

// One of three candidates leads at any time, and another one takes over when it leaves.
func TestLeaderElection(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	clients := kubernetes.NewForConfigOrDie(p.config())
	var leading atomic.Int32
	stops := map[string]context.CancelFunc{}
	leader := make(chan string, 3)
	for _, name := range []string{"a", "b", "c"} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stops[name] = cancel
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "default", "election", clients.CoreV1(), clients.CoordinationV1(),
			resourcelock.ResourceLockConfig{Identity: name})
		if err != nil {
			t.Fatal(err)
		}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) {
					if leading.Add(1) != 1 {
						t.Errorf("%s leads while another one does", name)
					}
					leader <- name
					<-ctx.Done()
					leading.Add(-1)
				},
				OnStoppedLeading: func() {},
			},
		})
	}
	defer func() { // the last one gives the lease back before the server is gone
		eventually(t, "nobody leads any more", func() bool { return leading.Load() == 0 })
	}()
	for n := range 3 {
		select {
		case name := <-leader:
			stops[name]()
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody leads after %d leaders", n)
		}
	}
}

// reconciler keeps a ConfigMap beside each Deployment that has a label, with how many replicas it has.
type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var d appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &d); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if d.Labels["counted"] == "" {
		return ctrl.Result{}, nil
	}
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: d.Name + "-count", Namespace: d.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, c, func() error {
		c.Data = map[string]string{"ready": fmt.Sprint(d.Status.ReadyReplicas)}
		return controllerutil.SetControllerReference(&d, c, r.Scheme())
	})
	return ctrl.Result{}, err
}

// A manager of controller-runtime, unchanged: its cache, a reconciler that owns objects, and the collector, which takes them.
func TestControllerRuntime(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 10)
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	manager, err := ctrl.NewManager(p.config(), ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Complete(reconciler{manager.GetClient()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	direct, err := client.New(p.config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	d := deployment("web", 2)
	d.Labels = map[string]string{"counted": "yes"}
	if err := direct.Create(ctx, d); err != nil {
		t.Fatal(err)
	}
	count := func() string {
		var c corev1.ConfigMap
		if err := direct.Get(ctx, client.ObjectKey{Namespace: "default", Name: "web-count"}, &c); err != nil {
			return err.Error()
		}
		return c.Data["ready"]
	}
	eventually(t, "two replicas are counted", func() bool { return count() == "2" })
	if err := direct.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-count"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the deleted count is there again", func() bool { return count() == "2" })
	if err := direct.Patch(ctx, d, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":4}}`))); err != nil {
		t.Fatal(err)
	}
	eventually(t, "four replicas are counted", func() bool { return count() == "4" })
	if err := direct.Delete(ctx, d); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the count is collected with its owner", func() bool { return count() == `configmaps "web-count" not found` })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
