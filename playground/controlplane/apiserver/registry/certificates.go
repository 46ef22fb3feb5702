//go:build !js || cel

package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/sim"
)

// csrStrategy is for CertificateSigningRequests, and for their approval and status.
//
// Absent: the plugins of admission that are about signers.
//
// Upstream: pkg/registry/certificates/certificates/strategy.go.
type csrStrategy struct {
	plain
	look validation.Certificates
	may  validation.RequestChange
}

func init() {
	register("certificates.k8s.io/certificatesigningrequests", csrStrategy{})
	register("certificates.k8s.io/certificatesigningrequests/approval", csrStrategy{may: validation.RequestChange{Approval: true}})
	register("certificates.k8s.io/certificatesigningrequests/status", csrStrategy{may: validation.RequestChange{Certificate: true}})
}

// Looking implements looking.
func (s csrStrategy) Looking(look validation.Certificates) Strategy {
	s.look = look
	return s
}

// SetUser implements requestedBy: who asks for the certificate is what the server knows of him.
func (csrStrategy) SetUser(obj api.Object, user *authenticationv1.UserInfo) {
	spec := &obj.(*certificatesv1.CertificateSigningRequest).Spec
	spec.Username, spec.UID, spec.Groups, spec.Extra = user.Username, user.UID, user.Groups, nil
	for key, value := range user.Extra { // order: each fills its own key
		if spec.Extra == nil {
			spec.Extra = map[string]certificatesv1.ExtraValue{}
		}
		spec.Extra[key] = certificatesv1.ExtraValue(value)
	}
}

func (csrStrategy) ValidateName() validation.NameFunc {
	return func(string, bool) []string { return nil }
}

func (csrStrategy) PrepareForCreate(obj api.Object) {
	obj.(*certificatesv1.CertificateSigningRequest).Status = certificatesv1.CertificateSigningRequestStatus{}
}

func (s csrStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateCertificateSigningRequest(obj.(*certificatesv1.CertificateSigningRequest), nil, s.look)
}

func (s csrStrategy) PrepareForUpdate(obj, old api.Object) {
	csr, was := obj.(*certificatesv1.CertificateSigningRequest), old.(*certificatesv1.CertificateSigningRequest)
	csr.Spec = was.Spec
	switch {
	case s.may.Approval:
		conditions := csr.Status.Conditions
		csr.Status = was.Status
		csr.Status.Conditions = conditions
	case s.may.Certificate:
		preserveConditionInstances(csr, was, certificatesv1.CertificateApproved)
		preserveConditionInstances(csr, was, certificatesv1.CertificateDenied)
	default:
		csr.Status = was.Status
	}
}

// preserveConditionInstances leaves conditions as they were, unless there are more or fewer, which is refused later.
func preserveConditionInstances(csr, old *certificatesv1.CertificateSigningRequest, t certificatesv1.RequestConditionType) {
	find := func(csr *certificatesv1.CertificateSigningRequest) (out []*certificatesv1.CertificateSigningRequestCondition) {
		for i := range csr.Status.Conditions {
			if c := &csr.Status.Conditions[i]; c.Type == t {
				out = append(out, c)
			}
		}
		return out
	}
	is, was := find(csr), find(old)
	for i := range is {
		if len(is) == len(was) {
			*is[i] = *was[i]
		}
	}
}

func (s csrStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateCertificateSigningRequestUpdate(obj.(*certificatesv1.CertificateSigningRequest),
		old.(*certificatesv1.CertificateSigningRequest), s.may, s.look)
}

// SelectableFields lists what upstream's SelectableFields does.
func (csrStrategy) SelectableFields(obj api.Object) fields.Set {
	csr, _ := obj.(*certificatesv1.CertificateSigningRequest)
	if csr == nil {
		return fields.Set{"spec.signerName": ""}
	}
	return fields.Set{"spec.signerName": csr.Spec.SignerName}
}

// BeginCreate implements allocating; there is nothing to do.
func (csrStrategy) BeginCreate(*sim.Proc, *Store, api.Object, bool) (finishFunc, error) {
	return finishNothing, nil
}

// BeginUpdate gives conditions the times that the client left out. Upstream: populateConditionTimestamps.
func (s csrStrategy) BeginUpdate(p *sim.Proc, _ *Store, obj, old api.Object, _ bool) (finishFunc, error) {
	if !s.may.Approval && !s.may.Certificate {
		return finishNothing, nil
	}
	csr, was := obj.(*certificatesv1.CertificateSigningRequest), old.(*certificatesv1.CertificateSigningRequest)
	for i := range csr.Status.Conditions {
		c := &csr.Status.Conditions[i]
		if c.LastUpdateTime.IsZero() {
			c.LastUpdateTime = now(p)
		}
		if !c.LastTransitionTime.IsZero() {
			continue
		}
		c.LastTransitionTime = now(p)
		for _, o := range was.Status.Conditions {
			if o.Type == c.Type && o.Status == c.Status && !o.LastTransitionTime.IsZero() {
				c.LastTransitionTime = o.LastTransitionTime
				break
			}
		}
	}
	return finishNothing, nil
}

// AfterDelete implements allocating.
func (csrStrategy) AfterDelete(*sim.Proc, *Store, api.Object) {}
