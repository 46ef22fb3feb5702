package certificates

import (
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Upstream: cleaner/cleaner.go.
const (
	pollingInterval    = time.Hour
	approvedExpiration = time.Hour
	deniedExpiration   = time.Hour
	pendingExpiration  = 24 * time.Hour
)

// clean deletes the requests that have had their time. Upstream: CSRCleanerController.worker.
func (r *Controller) clean(p *sim.Proc) {
	for _, obj := range r.indexer.List() {
		csr := obj.(*certificatesv1.CertificateSigningRequest)
		why := r.outdated(csr, p.Time())
		if why == "" {
			continue
		}
		p.Logger().Info("Cleaning CSR as "+why, "csr", csr.Name)
		_, err := r.transport.Do(p, &client.Request{Verb: client.Delete, Resource: requests, Name: csr.Name})
		if err != nil && !apierrors.IsNotFound(err) {
			p.Logger().Error(err, "Error while attempting to clean CSR", "csr", csr.Name)
		}
	}
}

// outdated says why a request may go; "" if it may not. Upstream: CSRCleanerController.handle and the functions that it asks.
func (r *Controller) outdated(csr *certificatesv1.CertificateSigningRequest, now time.Time) string {
	older := func(t metav1.Time, d time.Duration) bool { return !t.IsZero() && now.Sub(t.Time) > d }
	of := func(t certificatesv1.RequestConditionType, d time.Duration) bool {
		for _, c := range csr.Status.Conditions {
			if c.Type == t && older(c.LastUpdateTime, d) {
				return true
			}
		}
		return false
	}
	issued := len(csr.Status.Certificate) > 0
	switch {
	case issued && of(certificatesv1.CertificateApproved, approvedExpiration):
		return "it is more than approvedExpiration duration old and approved."
	case of(certificatesv1.CertificateDenied, deniedExpiration):
		return "it is more than deniedExpiration duration old and denied."
	case of(certificatesv1.CertificateFailed, deniedExpiration):
		return "it is more than deniedExpiration duration old and failed."
	case len(csr.Status.Conditions) == 0 && older(csr.CreationTimestamp, pendingExpiration):
		return "it is more than pendingExpiration duration old and unhandled."
	case issued && of(certificatesv1.CertificateApproved, -1) && r.expired(csr.Status.Certificate, now):
		return "the associated certificate is expired."
	case !issued && of(certificatesv1.CertificateApproved, pendingExpiration):
		return "it is approved but unissued for more than pendingExpiration duration."
	}
	return ""
}

func (r *Controller) expired(pem []byte, now time.Time) bool {
	if r.x509 == nil {
		return false
	}
	end, ok := r.x509.NotAfter(pem)
	return ok && now.After(end)
}
