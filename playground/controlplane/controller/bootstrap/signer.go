// Package bootstrap signs ConfigMap cluster-info, with each token that a machine may join with: so a machine that knows nothing but its token
// can tell that what it was given is from a cluster that knows the token, too.
//
// Absent: token-cleaner-controller, which deletes tokens that have expired. They are not signed with, and stay.
//
// Upstream: pkg/controller/bootstrap.
package bootstrap

import (
	"maps"
	"strings"
	"time"

	"kubewalk/playground/api"
	bootstrapapi "kubewalk/playground/api/bootstraptoken"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and its account.
const Name = "bootstrap-signer"

// Signer is upstream's bootstrapsigner.go, Signer.
type Signer struct {
	component           *sim.Component
	client              *client.Clientset
	secrets, configMaps cache.SharedIndexInformer
	queue               workqueue.TypedRateLimitingInterface[string]
}

// NewSigner makes a controller of a component.
func NewSigner(c *sim.Component, cl *client.Clientset) *Signer {
	s := &Signer{component: c, client: cl, queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
		workqueue.DefaultTypedControllerRateLimiter[string](c), workqueue.TypedRateLimitingQueueConfig[string]{Name: "bootstrap_signer_queue"})}
	informer := func(resource, namespace, field string) cache.SharedIndexInformer {
		i := informers.NewFilteredInformer(cl, api.GroupVersionResource{Version: "v1", Resource: resource}, namespace, 0,
			func(o *metav1.ListOptions) { o.FieldSelector = field })
		poke := func(any) { s.queue.Add(metav1.NamespacePublic + "/" + bootstrapapi.ClusterInfo) }
		i.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: poke, UpdateFunc: func(_, obj any) { poke(obj) }, DeleteFunc: poke})
		return i
	}
	s.configMaps = informer("configmaps", metav1.NamespacePublic, "metadata.name="+bootstrapapi.ClusterInfo)
	s.secrets = informer("secrets", metav1.NamespaceSystem, "type="+bootstrapapi.SecretType)
	return s
}

// Run signs once the caches are full.
func (s *Signer) Run(p *sim.Proc) {
	p.Logger().V(5).Info("Starting")
	s.component.Go("informer/configmaps", s.configMaps.Run)
	s.component.Go("informer/secrets", s.secrets.Run)
	cache.WaitForCacheSync(p, s.configMaps.HasSynced, s.secrets.HasSynced)
	for {
		key, quit := s.queue.Get(p)
		if quit {
			return
		}
		s.signConfigMap(p)
		s.queue.Done(key)
	}
}

// signConfigMap computes the signatures of what is in the caches, and writes them if they differ. Upstream: Signer.signConfigMap.
func (s *Signer) signConfigMap(p *sim.Proc) {
	obj, exists, err := s.configMaps.GetIndexer().GetByKey(metav1.NamespacePublic + "/" + bootstrapapi.ClusterInfo)
	if err != nil || !exists {
		return
	}
	old := obj.(*corev1.ConfigMap)
	content, ok := old.Data[bootstrapapi.KubeConfigKey]
	if !ok {
		p.Logger().V(3).Info("No key in ConfigMap", "key", bootstrapapi.KubeConfigKey, "configMap", metav1.NamespacePublic+"/"+bootstrapapi.ClusterInfo)
		return
	}
	signed := old.DeepCopy()
	maps.DeleteFunc(signed.Data, func(key, _ string) bool { return strings.HasPrefix(key, bootstrapapi.SignatureKeyStart) })
	for _, obj := range s.secrets.GetIndexer().List() {
		if id, secret, ok := validateForSigning(obj.(*corev1.Secret), p.Time()); ok {
			signed.Data[bootstrapapi.SignatureKeyStart+id] = bootstrapapi.ComputeDetachedSignature(content, id, secret)
		}
	}
	if maps.Equal(signed.Data, old.Data) {
		return
	}
	if _, err := s.client.CoreV1().ConfigMaps(signed.Namespace).Update(p, signed, metav1.UpdateOptions{}); err != nil {
		p.Logger().V(3).Info("Error updating ConfigMap", "err", err)
	}
}

// validateForSigning is upstream's util.go, validateSecretForSigning.
func validateForSigning(secret *corev1.Secret, now time.Time) (id, token string, ok bool) {
	id, token = string(secret.Data[bootstrapapi.TokenIDKey]), string(secret.Data[bootstrapapi.TokenSecretKey])
	if id == "" || token == "" || secret.Name != bootstrapapi.SecretPrefix+id || string(secret.Data[bootstrapapi.SigningUsage]) != "true" {
		return "", "", false
	}
	return id, token, !bootstrapapi.Expired(secret.Data, now)
}
