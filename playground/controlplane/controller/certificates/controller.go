// Package certificates approves requests for certificates that kubelets may have, signs those that are approved, and deletes old ones.
//
// What is in a request and how one signs are asked of an X509, which only the port has: the browser's builds have no crypto/x509. Without one,
// requests are only deleted when they are old.
//
// Simplified: upstream's three controllers, for approving, signing and cleaning, are one here; they share a client and an account there, too.
// Absent: the signer kubernetes.io/legacy-unknown, whose requests this API does not take; requests of PodCertificates; a CA that is exchanged.
//
// Upstream: pkg/controller/certificates, with approver, signer and cleaner.
package certificates

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and its account. Upstream: cmd/kube-controller-manager/app/certificates.go.
const Name = "certificate-controller"

// workers are those of each handler. Upstream: ctx.ComponentConfig, startCertificateSigningRequest….
const workers = 5

// duration is how long certificates are good for at most. Upstream: --cluster-signing-duration.
const duration = 365 * 24 * time.Hour

var requests = api.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests"}

// Request is what is read of a request in PEM.
type Request = certificatesv1.ParsedRequest

// X509 reads requests and signs them.
type X509 interface {
	// ParseRequest reads a request in PEM.
	ParseRequest(pem []byte) (*Request, error)
	// Sign makes a certificate in PEM of a request, for usages. It is good no longer than the signer's own is.
	Sign(pem []byte, usages []certificatesv1.KeyUsage, notBefore, notAfter time.Time) ([]byte, error)
	// NotAfter is until when a certificate in PEM is good.
	NotAfter(pem []byte) (time.Time, bool)
}

// Controller does all of it.
type Controller struct {
	component *sim.Component
	transport client.Transport
	indexer   cache.Indexer
	synced    cache.InformerSynced
	x509      X509 // may be nil
	handlers  []*handler
}

// handler is one of upstream's CertificateControllers: a queue of its own, and what is done with each request.
type handler struct {
	name  string
	queue workqueue.TypedRateLimitingInterface[string]
	do    func(p *sim.Proc, csr *certificatesv1.CertificateSigningRequest) error
}

// ignorable is an error that is not worth a line of the log. Upstream: certificate_controller.go, ignorableError.
type ignorable string

func (e ignorable) Error() string { return string(e) }

// NewController makes a controller of a component. The informer is not started here.
func NewController(c *sim.Component, factory informers.SharedInformerFactory, cl *client.Clientset, x509 X509) *Controller {
	informer := factory.InformerFor(requests, nil)
	r := &Controller{component: c, transport: cl.Transport(), indexer: informer.GetIndexer(), synced: informer.HasSynced, x509: x509}
	if x509 == nil {
		return r
	}
	r.add("csrapproving", r.approve)
	for _, s := range signers {
		r.add(s.controller, func(p *sim.Proc, csr *certificatesv1.CertificateSigningRequest) error { return r.sign(p, &s, csr) })
	}
	enqueue := func(obj any) {
		if csr, ok := obj.(*certificatesv1.CertificateSigningRequest); ok {
			for _, h := range r.handlers {
				h.queue.Add(csr.Name)
			}
		}
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, obj any) { enqueue(obj) },
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			enqueue(obj)
		},
	})
	return r
}

// add makes a handler with a queue of its own. Upstream calls all of these queues "certificate"; a trace has to tell them apart.
func (r *Controller) add(name string, do func(*sim.Proc, *certificatesv1.CertificateSigningRequest) error) {
	limiter := workqueue.NewTypedMaxOfRateLimiter(workqueue.NewTypedItemExponentialFailureRateLimiter[string](200*time.Millisecond, 1000*time.Second),
		workqueue.NewTypedBucketRateLimiter[string](r.component, 10, 100))
	r.handlers = append(r.handlers, &handler{name: name, do: do,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(r.component, limiter, workqueue.TypedRateLimitingQueueConfig[string]{Name: name})})
}

// Run works once the cache holds the cluster's requests.
func (r *Controller) Run(p *sim.Proc) {
	for _, h := range r.handlers {
		p.Logger().Info("Starting certificate controller", "name", h.name)
	}
	p.Logger().Info("Starting CSR cleaner controller")
	cache.WaitForCacheSync(p, r.synced)
	for _, h := range r.handlers {
		for range workers {
			r.component.Go("worker", func(p *sim.Proc) { r.work(p, h) })
		}
	}
	r.component.Go("cleaner", func(p *sim.Proc) { wait.Until(p, r.clean, pollingInterval) })
}

func (r *Controller) work(p *sim.Proc, h *handler) {
	for {
		key, quit := h.queue.Get(p)
		if quit {
			return
		}
		if err := r.syncFunc(p, h, key); err != nil {
			h.queue.AddRateLimited(key)
			var spam ignorable
			if errors.As(err, &spam) {
				p.Logger().V(4).Info("Sync certificate request failed", "csr", key, "err", err.Error())
			} else {
				controller.HandleError(p.Logger(), err, "Sync failed", "csr", key)
			}
		} else {
			h.queue.Forget(key)
		}
		h.queue.Done(key)
	}
}

// syncFunc is upstream's CertificateController.syncFunc.
func (r *Controller) syncFunc(p *sim.Proc, h *handler, key string) error {
	obj, exists, err := r.indexer.GetByKey(key)
	if err != nil {
		return err
	}
	if !exists {
		p.Logger().V(3).Info("csr has been deleted", "csr", key)
		return nil
	}
	csr := obj.(*certificatesv1.CertificateSigningRequest)
	if len(csr.Status.Certificate) > 0 {
		return nil
	}
	return h.do(p, csr.DeepCopy())
}

// update writes a request's approval or status.
func (r *Controller) update(p *sim.Proc, csr *certificatesv1.CertificateSigningRequest, subresource string) error {
	_, err := r.transport.Do(p, &client.Request{Verb: client.Update, Resource: requests, Name: csr.Name, Subresource: subresource, Object: csr})
	return err
}

func has(csr *certificatesv1.CertificateSigningRequest, t certificatesv1.RequestConditionType) bool {
	for _, c := range csr.Status.Conditions {
		if c.Type == t && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// sign is upstream's signer/signer.go, signer.handle.
func (r *Controller) sign(p *sim.Proc, s *signer, csr *certificatesv1.CertificateSigningRequest) error {
	if !has(csr, certificatesv1.CertificateApproved) || has(csr, certificatesv1.CertificateDenied) || has(csr, certificatesv1.CertificateFailed) ||
		csr.Spec.SignerName != s.name {
		return nil
	}
	request, err := r.x509.ParseRequest(csr.Spec.Request)
	if err != nil {
		return fmt.Errorf("unable to parse csr %q: %v", csr.Name, err)
	}
	if err := s.validate(request, csr.Spec.Usages); err != nil {
		csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
			Type: certificatesv1.CertificateFailed, Status: corev1.ConditionTrue, Reason: "SignerValidationFailure", Message: err.Error()})
		csr.Status.Conditions[len(csr.Status.Conditions)-1].LastUpdateTime.Time = p.Time()
		if err := r.update(p, csr, "status"); err != nil {
			return fmt.Errorf("error adding failure condition for csr: %v", err)
		}
		return nil
	}
	notBefore, notAfter := validity(p.Time(), csr.Spec.ExpirationSeconds)
	if csr.Status.Certificate, err = r.x509.Sign(csr.Spec.Request, csr.Spec.Usages, notBefore, notAfter); err != nil {
		return fmt.Errorf("error auto signing csr: %v", err)
	}
	if err := r.update(p, csr, "status"); err != nil {
		return fmt.Errorf("error updating signature for csr: %v", err)
	}
	return nil
}

// validity is from when until when a certificate is good: it begins a little earlier, and ends so, too, unless it is short.
// Upstream: signer.go, signer.duration and sign; authority/policies.go, PermissiveSigningPolicy.apply.
func validity(now time.Time, seconds *int32) (notBefore, notAfter time.Time) {
	const backdate, short, least = 5 * time.Minute, 8 * time.Hour, 10 * time.Minute
	ttl := duration
	if seconds != nil {
		ttl = min(ttl, max(least, time.Duration(*seconds)*time.Second))
	}
	notAfter = now.Add(ttl)
	if ttl >= short {
		notAfter = notAfter.Add(-backdate)
	}
	return now.Add(-backdate), notAfter
}
