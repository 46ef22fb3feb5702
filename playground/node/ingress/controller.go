package ingress

import (
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
)

// Name is the controller's component.
const Name = "ingress-controller"

const (
	// ClassName is the class that it makes and takes, controllerClass whom that class names.
	ClassName       = "nginx"
	controllerClass = "k8s.io/ingress-nginx"
	classAnnotation = "kubernetes.io/ingress.class"
	eventSource     = "nginx-ingress-controller"

	retryPeriod = 2 * time.Second
	// syncDelay collects changes that come together.
	syncDelay = 100 * time.Millisecond
)

// Options of a controller.
type Options struct {
	// Node is the machine that it runs on, with the machine's network; Address is that machine's.
	Node, Address string
	Fabric        *network.Fabric
}

// Controller is a running Ingress controller. Upstream: internal/ingress/controller/nginx.go, NGINXController.
type Controller struct {
	component *sim.Component
	options   Options
	client    *client.Clientset
	ingresses informers.IngressInformer
	classes   informers.IngressClassInformer
	services  informers.ServiceInformer
	slices    informers.EndpointSliceInformer
	queue     workqueue.TypedRateLimitingInterface[string]
	recorder  record.EventRecorder

	routes []route
	next   map[string]int // by Service's port: whose turn it is
}

// Start brings the controller up.
func Start(k *sim.Kernel, t client.Transport, o Options) *Controller {
	c := &Controller{component: k.Start(Name), options: o, client: client.New(t), next: map[string]int{}}
	c.component.Run(func() {
		factory := informers.NewSharedInformerFactory(c.client, 0)
		c.ingresses, c.classes = factory.Networking().V1().Ingresses(), factory.Networking().V1().IngressClasses()
		c.services, c.slices = factory.Core().V1().Services(), factory.Discovery().V1().EndpointSlices()
		c.queue = workqueue.NewTypedRateLimitingQueueWithConfig(c.component, workqueue.DefaultTypedControllerRateLimiter[string](c.component),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "ingress"})
		broadcaster := record.NewBroadcaster(c.component)
		c.recorder = broadcaster.NewRecorder(corev1.EventSource{Component: eventSource})
		synced := []cache.InformerSynced{c.ingresses.Informer().HasSynced, c.classes.Informer().HasSynced, c.services.Informer().HasSynced,
			c.slices.Informer().HasSynced}
		c.watch()
		c.component.Go("main", func(p *sim.Proc) {
			broadcaster.StartRecordingToSink(c.client)
			p.Logger().Info("Starting NGINX Ingress controller")
			factory.Start(p)
			if !cache.WaitForCacheSync(p, synced...) {
				return
			}
			for c.ensureClass(p) != nil {
				p.Sleep(retryPeriod)
			}
			for _, port := range []int32{80, 443} {
				o.Fabric.Listen(o.Address, port, &network.Host{Component: c.component, Serve: c.serve})
			}
			c.component.Go("worker", func(p *sim.Proc) {
				for c.processNextWorkItem(p) {
				}
			})
		})
	})
	return c
}

// Component is the controller's program.
func (c *Controller) Component() *sim.Component { return c.component }

func (c *Controller) watch() {
	add := func(ing *networkingv1.Ingress) {
		if c.takes(ing) {
			c.recorder.Event(ing, corev1.EventTypeNormal, "Sync", "Scheduled for sync")
		}
		c.queue.Add(ing.Namespace + "/" + ing.Name)
	}
	c.ingresses.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { add(obj.(*networkingv1.Ingress)) },
		UpdateFunc: func(old, cur any) {
			was, is := old.(*networkingv1.Ingress), cur.(*networkingv1.Ingress)
			if !api.SemanticDeepEqual(was.Spec, is.Spec) || !api.SemanticDeepEqual(was.Annotations, is.Annotations) {
				add(is)
			}
		},
		DeleteFunc: func(obj any) {
			switch o := obj.(type) {
			case cache.DeletedFinalStateUnknown:
				c.queue.Add(o.Key)
			case *networkingv1.Ingress:
				c.queue.Add(o.Namespace + "/" + o.Name)
			}
		},
	})
	c.classes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.enqueueAll() },
		UpdateFunc: func(_, _ any) { c.enqueueAll() },
		DeleteFunc: func(any) { c.enqueueAll() },
	})
}

func (c *Controller) enqueueAll() {
	all, err := c.ingresses.Lister().List(labels.Everything())
	if err != nil {
		return
	}
	for _, ing := range all {
		c.queue.Add(ing.Namespace + "/" + ing.Name)
	}
}

// takes says that the Ingress is this controller's. Upstream: store.go, Store.GetIngressClass.
func (c *Controller) takes(ing *networkingv1.Ingress) bool {
	if ing.Spec.IngressClassName == nil {
		return ing.Annotations[classAnnotation] == ClassName
	}
	class, err := c.classes.Lister().Get(*ing.Spec.IngressClassName)
	return err == nil && class.Spec.Controller == controllerClass
}

// ensureClass makes the class that Ingresses name, as the controller's manifests do.
func (c *Controller) ensureClass(p *sim.Proc) error {
	if _, err := c.classes.Lister().Get(ClassName); err == nil {
		return nil
	}
	_, err := c.client.NetworkingV1().IngressClasses().Create(p, &networkingv1.IngressClass{
		ObjectMeta: metav1.ObjectMeta{Name: ClassName, Labels: map[string]string{"app.kubernetes.io/name": "ingress-nginx"}},
		Spec:       networkingv1.IngressClassSpec{Controller: controllerClass},
	}, metav1.CreateOptions{})
	if err == nil || apierrors.IsAlreadyExists(err) {
		return nil
	}
	p.Logger().Error(err, "Unable to create the IngressClass", "ingressClass", ClassName)
	return err
}

func (c *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, quit := c.queue.Get(p)
	if quit {
		return false
	}
	if err := c.sync(p, key); err != nil {
		p.Logger().Error(err, "Error syncing Ingress", "key", key)
		c.queue.AddRateLimited(key)
	} else {
		c.queue.Forget(key)
	}
	c.queue.Done(key)
	return true
}

// sync makes the table anew and tells the Ingress where it is served. Upstream: controller.go, syncIngress; status/status.go.
func (c *Controller) sync(p *sim.Proc, key string) error {
	p.Sleep(syncDelay)
	all, err := c.ingresses.Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	var ours []*networkingv1.Ingress
	for _, ing := range all {
		if c.takes(ing) {
			ours = append(ours, ing)
		}
	}
	c.routes = table(ours)
	p.Logger().Info("Configuration changes detected, backend reload required", "ingresses", len(ours), "routes", len(c.routes))
	for _, r := range c.routes {
		if r.host != "" && !strings.HasPrefix(r.host, "*") {
			c.options.Fabric.Publish(r.host, c.options.Address)
		}
	}
	for _, ing := range ours {
		if ing.Namespace+"/"+ing.Name == key {
			return c.updateStatus(p, ing)
		}
	}
	return nil
}

func (c *Controller) updateStatus(p *sim.Proc, ing *networkingv1.Ingress) error {
	want := []networkingv1.IngressLoadBalancerIngress{{IP: c.options.Address}}
	if api.SemanticDeepEqual(ing.Status.LoadBalancer.Ingress, want) {
		return nil
	}
	next := ing.DeepCopy()
	next.Status.LoadBalancer.Ingress = want
	p.Logger().Info("updating Ingress status", "namespace", ing.Namespace, "ingress", ing.Name, "newValue", c.options.Address)
	_, err := c.client.NetworkingV1().Ingresses(ing.Namespace).UpdateStatus(p, next, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// serve passes a request on to a Pod. Upstream: nginx, with balancer.lua choosing the endpoint.
func (c *Controller) serve(_ string, port int32, request network.Request, done func(network.Response)) {
	target := network.ParseURL(request.URL)
	log := c.component.Kernel().Logger()
	r := find(c.routes, target.Host, target.Path)
	if r == nil {
		log.Info("No rule matches", "host", target.Host, "path", target.Path)
		done(network.Response{Status: 404, Body: "default backend - 404"})
		return
	}
	addresses := c.endpoints(r)
	service := r.namespace + "/" + r.backend.Name
	if len(addresses) == 0 {
		log.Info("Service does not have any active Endpoint", "host", target.Host, "path", target.Path, "rule", r.host+r.path,
			"ingress", r.namespace+"/"+r.name, "service", service)
		done(network.Response{Status: 503, Body: "503 Service Temporarily Unavailable"})
		return
	}
	i := c.next[service] % len(addresses)
	c.next[service] = i + 1
	log.Info("Routing", "host", target.Host, "path", target.Path, "rule", r.host+r.path, "ingress", r.namespace+"/"+r.name, "service", service,
		"endpoint", addresses[i], "endpoints", len(addresses))
	from := network.Source{Node: c.options.Node}
	c.options.Fabric.Dial(from, network.Request{Method: request.Method, URL: "http://" + addresses[i] + target.Path, From: request.From},
		func(r network.Response) {
			switch r.Failure {
			case "":
				done(r)
			case network.TimedOut:
				done(network.Response{Status: 504, Body: "504 Gateway Time-out"})
			default:
				done(network.Response{Status: 502, Body: "502 Bad Gateway"})
			}
		})
}

// endpoints are the ready addresses behind a route, in order. Upstream: endpointslices.go, getEndpointsFromSlices.
func (c *Controller) endpoints(r *route) []string {
	svc, err := c.services.Lister().Services(r.namespace).Get(r.backend.Name)
	if err != nil {
		return nil
	}
	name, found := "", false
	for _, p := range svc.Spec.Ports {
		if r.backend.Port.Name != "" && p.Name == r.backend.Port.Name || r.backend.Port.Number != 0 && p.Port == r.backend.Port.Number {
			name, found = p.Name, true
		}
	}
	if !found {
		return nil
	}
	list, err := c.slices.Lister().EndpointSlices(r.namespace).List(labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: svc.Name}))
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range list {
		for _, p := range s.Ports {
			if p.Port == nil || p.Name != nil && *p.Name != name {
				continue
			}
			for _, e := range s.Endpoints {
				if e.Conditions.Ready == nil || *e.Conditions.Ready {
					out = append(out, network.Address(e.Addresses[0], *p.Port))
				}
			}
		}
	}
	return out
}
