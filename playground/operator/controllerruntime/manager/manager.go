// Package manager holds what the controllers of one program share: the cache, the client and the recorders of Events.
// Upstream: controller-runtime/pkg/manager, pkg/cluster.
package manager

import (
	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/events"
	"kubewalk/playground/controlplane/client/record"
	objects "kubewalk/playground/operator/controllerruntime/cache"
	crclient "kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/controller"
	"kubewalk/playground/operator/controllerruntime/runtime"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/sim"
)

// Manager is what a controller is set up with.
type Manager interface {
	GetClient() crclient.Client
	GetCache() *objects.Cache
	GetScheme() *runtime.Scheme
	// GetEventRecorder returns a recorder whose Events say that they come from name.
	GetEventRecorder(name string) events.EventRecorder
	// GetWebhookServer returns the server of the program's webhooks.
	GetWebhookServer() *webhook.Server
	// Component is the program. Upstream has no such method.
	Component() *sim.Component
	// Add has Start start a controller.
	Add(c *controller.Controller) error
	// Start starts what was added. Simplified: there is no leader election, as without the flag --leader-elect.
	Start(p *sim.Proc)
}

// Options are what the program brings along.
type Options struct {
	Scheme        *runtime.Scheme
	WebhookServer *webhook.Server
}

// New returns a manager of a program that speaks to the API server over t.
func New(component *sim.Component, t client.Transport, options Options) Manager {
	c := objects.New(component, t, options.Scheme)
	options.WebhookServer.Start(component)
	return &manager{component: component, transport: t, scheme: options.Scheme, cache: c, client: crclient.New(t, c), webhooks: options.WebhookServer}
}

type manager struct {
	component   *sim.Component
	transport   client.Transport
	scheme      *runtime.Scheme
	cache       *objects.Cache
	client      crclient.Client
	broadcaster *events.EventBroadcaster
	controllers []*controller.Controller
	webhooks    *webhook.Server
}

func (m *manager) GetClient() crclient.Client { return m.client }
func (m *manager) GetCache() *objects.Cache   { return m.cache }
func (m *manager) GetScheme() *runtime.Scheme { return m.scheme }
func (m *manager) Component() *sim.Component  { return m.component }

func (m *manager) GetWebhookServer() *webhook.Server { return m.webhooks }

func (m *manager) GetEventRecorder(name string) events.EventRecorder {
	if m.broadcaster == nil {
		m.broadcaster = events.NewBroadcaster(m.component)
		m.broadcaster.StartRecordingToSink(client.New(m.transport))
	}
	return recorder{m.broadcaster.NewRecorder(name, m.component.Name()), m.scheme}
}

// recorder names objects by the kinds of a scheme.
type recorder struct {
	events.EventRecorder
	scheme *runtime.Scheme
}

func (r recorder) Eventf(regarding, related api.Object, eventtype, reason, action, note string, args ...any) {
	r.EventRecorder.Eventf(r.reference(regarding), related, eventtype, reason, action, note, args...)
}

func (r recorder) reference(obj api.Object) api.Object {
	return record.Ref(record.Reference(r.scheme.KindFor(obj), obj))
}

func (m *manager) Add(c *controller.Controller) error {
	m.controllers = append(m.controllers, c)
	return nil
}

func (m *manager) Start(p *sim.Proc) {
	for _, c := range m.controllers {
		m.component.Go("controller/"+c.Name, c.Start)
	}
}
