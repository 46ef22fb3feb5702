package apiserver

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// Span is a time between two, both ends included, that chance picks.
type Span struct{ Min, Max time.Duration }

// Options are the server's times. All are virtual.
type Options struct {
	Network    Span // one way between a client and the server
	Processing Span // decoding, admission, validation and encoding of one request
	EtcdWatch  Span // from a commit in etcd to the watch cache

	// WatchTimeout is how long a watch lives that doesn't ask for a time.
	// Upstream: endpoints/handlers/get.go, ListResource: MinRequestTimeout (30 min) and up to as much again.
	WatchTimeout Span
	// BookmarkFrequency is how often a watch that asked for it hears the newest revision.
	// Upstream: storage/cacher/cacher.go, defaultBookmarkFrequency.
	BookmarkFrequency time.Duration
	// CompactionInterval is how often the store's history is dropped up to where it was one interval ago; 0 is never.
	// Upstream: kube-apiserver --etcd-compaction-interval.
	CompactionInterval time.Duration
	// EventTTL is how long Events are kept; 0 is for ever. Upstream: kube-apiserver --event-ttl.
	EventTTL time.Duration
	// DisableAdmissionPlugins are not run. Upstream: kube-apiserver --disable-admission-plugins; of ServiceAccount is left
	// that Pods are given the name of the default account.
	DisableAdmissionPlugins []string
	// Authorization is nil where everybody may do everything. Upstream: kube-apiserver --authorization-mode, AlwaysAllow or Node,RBAC.
	Authorization *Authorization
	// CEL says that expressions are evaluated, which the program must be able to do (cel.Installed). Otherwise what has some is refused.
	CEL bool
	// AllKinds says that the kinds are served that not every server has: see api.AllKinds. ServeRare asks for them later.
	AllKinds bool
	// Devices says that also the kinds of resource.k8s.io are served, which are not among AllKinds here.
	Devices bool
	// MaxRequestsInFlight is how many requests the server works at at a time, where it has the kinds of priority and fairness: see flowcontrol.
	// Upstream: kube-apiserver --max-requests-inflight and --max-mutating-requests-inflight, together.
	MaxRequestsInFlight int
	// Certificates looks into certificates and requests for them; nil does not.
	Certificates validation.Certificates
	// Tokens signs tokens of service accounts; nil is a hash with a key of the server's.
	Tokens registry.TokenSigner
}

// kinds are the built-in ones that are served.
func (o Options) kinds() api.KindSet {
	out := api.Kinds()
	for _, k := range api.AllKinds()[len(out):] {
		if devices := k.Group == "resource.k8s.io"; devices && o.Devices || !devices && o.AllKinds {
			out = append(out, k)
		}
	}
	return out
}

// Awaiting are the plugins that do half of a thing whose other half is a controller's. A server alone runs without: Pods
// would wait for a service account that nobody makes, and nodes keep a taint that nobody takes away.
func Awaiting() []string {
	return []string{"ServiceAccount", "TaintNodesByCondition", "StorageObjectInUseProtection"}
}

// DefaultOptions are those of a small cluster in one data centre, of which only the server is there: see Awaiting.
func DefaultOptions() Options {
	return Options{
		Network:            Span{200 * time.Microsecond, 800 * time.Microsecond},
		Processing:         Span{1 * time.Millisecond, 2 * time.Millisecond},
		EtcdWatch:          Span{100 * time.Microsecond, 300 * time.Microsecond},
		WatchTimeout:       Span{30 * time.Minute, 60 * time.Minute},
		BookmarkFrequency:  time.Minute,
		CompactionInterval: 5 * time.Minute,
		EventTTL:           time.Hour,

		MaxRequestsInFlight: 600,

		DisableAdmissionPlugins: Awaiting(),
	}
}
