package certificates

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// The signers of the cluster. Upstream: k8s.io/api/certificates/v1/types.go.
const (
	apiServerClient        = "kubernetes.io/kube-apiserver-client"
	apiServerClientKubelet = "kubernetes.io/kube-apiserver-client-kubelet"
	kubeletServing         = "kubernetes.io/kubelet-serving"
)

// signer is a signer's name, and what it asks of requests.
type signer struct {
	controller, name string
	validate         func(*Request, []certificatesv1.KeyUsage) error
}

// signers are those of upstream's NewKubeletServingCSRSigningController and the functions beside it.
var signers = []signer{
	{"csrsigning-kubelet-serving", kubeletServing, validateKubeletServing},
	{"csrsigning-kubelet-client", apiServerClientKubelet, validateKubeletClient},
	{"csrsigning-kube-apiserver-client", apiServerClient, validAPIServerClientUsages},
}

// approve is upstream's approver/sarapprove.go, sarApprover.handle.
func (r *Controller) approve(p *sim.Proc, csr *certificatesv1.CertificateSigningRequest) error {
	if has(csr, certificatesv1.CertificateApproved) || has(csr, certificatesv1.CertificateDenied) {
		return nil
	}
	request, err := r.x509.ParseRequest(csr.Spec.Request)
	if err != nil {
		return fmt.Errorf("unable to parse csr %q: %v", csr.Name, err)
	}
	if csr.Spec.SignerName != apiServerClientKubelet || validateKubeletClient(request, csr.Spec.Usages) != nil {
		return nil
	}
	var tried []string
	for _, try := range []struct {
		subresource, message string
		recognized           bool
	}{
		{"selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview.", csr.Spec.Username == request.CommonName},
		{"nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview.", true},
	} {
		if !try.recognized {
			continue
		}
		tried = append(tried, try.subresource)
		approved, err := r.authorize(p, csr, try.subresource)
		if err != nil {
			return err
		}
		if approved {
			csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
				Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "AutoApproved", Message: try.message})
			if err := r.update(p, csr, "approval"); err != nil {
				return fmt.Errorf("error updating approval for csr: %v", err)
			}
			return nil
		}
	}
	return ignorable(fmt.Sprintf("recognized csr %q as %v but subject access review was not approved", csr.Name, tried))
}

// authorize asks whether who made the request may have such a one approved. Upstream: sarapprove.go, sarApprover.authorize.
func (r *Controller) authorize(p *sim.Proc, csr *certificatesv1.CertificateSigningRequest, subresource string) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: csr.Spec.Username, UID: csr.Spec.UID, Groups: csr.Spec.Groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: requests.Group, Resource: requests.Resource, Verb: "create",
			Subresource: subresource, Version: "*"}}}
	for key, value := range csr.Spec.Extra { // order: each fills its own key
		if review.Spec.Extra == nil {
			review.Spec.Extra = map[string]authorizationv1.ExtraValue{}
		}
		review.Spec.Extra[key] = authorizationv1.ExtraValue(value)
	}
	got, err := client.As[*authorizationv1.SubjectAccessReview](r.transport.Do(p,
		&client.Request{Verb: client.Create, Resource: api.KindOf(review).GroupVersionResource(), Object: review}))
	if err != nil {
		return false, err
	}
	return got.Status.Allowed, nil
}

// The usages that certificates of kubelets are for; with other keys than RSA's, key encipherment is left out.
var (
	servingUsages = []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageServerAuth}
	clientUsages  = []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth, certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment}
)

func usagesMatch(usages, required []certificatesv1.KeyUsage) error {
	missing := func(list, of []certificatesv1.KeyUsage) bool {
		return slices.ContainsFunc(of, func(u certificatesv1.KeyUsage) bool {
			return u != certificatesv1.UsageKeyEncipherment && !slices.Contains(list, u)
		})
	}
	other := slices.ContainsFunc(usages, func(u certificatesv1.KeyUsage) bool { return !slices.Contains(required, u) })
	if other || missing(usages, required) {
		sorted := slices.Clone(required)
		slices.Sort(sorted)
		return fmt.Errorf("usages did not match %v", sorted)
	}
	return nil
}

// validateKubeletServing is upstream's pkg/apis/certificates/helpers.go, ValidateKubeletServingCSR.
func validateKubeletServing(r *Request, usages []certificatesv1.KeyUsage) error {
	switch {
	case !slices.Equal(r.Organization, []string{"system:nodes"}):
		return errors.New("subject organization is not system:nodes")
	case r.DNSNames+r.IPAddresses == 0:
		return errors.New("DNS or IP subjectAltName is required")
	case r.EmailAddresses > 0:
		return errors.New("Email subjectAltNames are not allowed")
	case r.URIs > 0:
		return errors.New("URI subjectAltNames are not allowed")
	}
	if err := usagesMatch(usages, servingUsages); err != nil {
		return err
	}
	if !strings.HasPrefix(r.CommonName, "system:node:") {
		return errors.New("subject common name does not begin with system:node:")
	}
	return nil
}

// validateKubeletClient is upstream's ValidateKubeletClientCSR.
func validateKubeletClient(r *Request, usages []certificatesv1.KeyUsage) error {
	switch {
	case !slices.Equal(r.Organization, []string{"system:nodes"}):
		return errors.New("subject organization is not system:nodes")
	case r.DNSNames > 0:
		return errors.New("DNS subjectAltNames are not allowed")
	case r.EmailAddresses > 0:
		return errors.New("Email subjectAltNames are not allowed")
	case r.IPAddresses > 0:
		return errors.New("IP subjectAltNames are not allowed")
	case r.URIs > 0:
		return errors.New("URI subjectAltNames are not allowed")
	case !strings.HasPrefix(r.CommonName, "system:node:"):
		return errors.New("subject common name does not begin with system:node:")
	}
	return usagesMatch(usages, clientUsages)
}

// validAPIServerClientUsages is upstream's signer/signer.go function of that name.
func validAPIServerClientUsages(_ *Request, usages []certificatesv1.KeyUsage) error {
	for _, u := range usages {
		if !slices.Contains(clientUsages, u) {
			return fmt.Errorf("invalid usage for client certificate: %s", u)
		}
	}
	if !slices.Contains(usages, certificatesv1.UsageClientAuth) {
		return fmt.Errorf("missing required usage for client certificate: %s", certificatesv1.UsageClientAuth)
	}
	return nil
}
