package validation

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// Certificates looks into certificates and requests for them, which takes more than the browser's build of the control plane has.
type Certificates interface {
	// CheckRequest says what is wrong with a request in PEM.
	CheckRequest(pem []byte) error
	// CheckCertificates says what is wrong with certificates in PEM; nothing is right.
	CheckCertificates(pem []byte) error
}

// keyUsages are the usages that a certificate may be for.
var keyUsages = []certificatesv1.KeyUsage{certificatesv1.UsageAny, certificatesv1.UsageCertSign, certificatesv1.UsageClientAuth,
	certificatesv1.UsageCodeSigning, certificatesv1.UsageContentCommitment, certificatesv1.UsageCRLSign, certificatesv1.UsageDataEncipherment,
	certificatesv1.UsageDecipherOnly,
	certificatesv1.UsageDigitalSignature, certificatesv1.UsageEmailProtection, certificatesv1.UsageEncipherOnly, certificatesv1.UsageIPsecEndSystem,
	certificatesv1.UsageIPsecTunnel, certificatesv1.UsageIPsecUser, certificatesv1.UsageKeyAgreement, certificatesv1.UsageKeyEncipherment,
	certificatesv1.UsageMicrosoftSGC, certificatesv1.UsageNetscapeSGC, certificatesv1.UsageOCSPSigning, certificatesv1.UsageSMIME,
	certificatesv1.UsageServerAuth, certificatesv1.UsageSigning, certificatesv1.UsageTimestamping}

// legacyUnknownSigner is the signer of requests by way of v1beta1. Upstream: pkg/apis/certificates/types.go, LegacyUnknownSignerName.
const legacyUnknownSigner = "kubernetes.io/legacy-unknown"

// ValidateCertificateSigningRequest checks one but for its metadata. old is nil for a new one; what was wrong with it may stay so.
// Upstream: pkg/apis/certificates/validation/validation.go.
func ValidateCertificateSigningRequest(csr, old *certificatesv1.CertificateSigningRequest, look Certificates) field.ErrorList {
	if old == nil {
		old = &certificatesv1.CertificateSigningRequest{}
	}
	var errs field.ErrorList
	spec, was := specPath, &old.Spec
	if look != nil {
		if err := look.CheckRequest(csr.Spec.Request); err != nil {
			errs = append(errs, field.Invalid(spec.Child("request"), csr.Spec.Request, err.Error()))
		}
	}
	usages := spec.Child("usages")
	if len(csr.Spec.Usages) == 0 {
		errs = append(errs, field.Required(usages, ""))
	}
	unknown := func(u certificatesv1.KeyUsage) bool { return !slices.Contains(keyUsages, u) }
	if !slices.ContainsFunc(was.Usages, unknown) {
		for i, usage := range csr.Spec.Usages {
			if unknown(usage) {
				errs = append(errs, field.NotSupported(usages.Index(i), usage, keyUsages))
			}
		}
	}
	if !repeats(was.Usages) {
		for i, usage := range csr.Spec.Usages {
			if slices.Contains(csr.Spec.Usages[:i], usage) {
				errs = append(errs, field.Duplicate(usages.Index(i), usage))
			}
		}
	}
	if csr.Spec.SignerName == legacyUnknownSigner && was.SignerName != legacyUnknownSigner {
		errs = append(errs, field.Invalid(spec.Child("signerName"), csr.Spec.SignerName, "the legacy signerName is not allowed via this API version"))
	} else {
		errs = append(errs, validateSignerName(csr.Spec.SignerName, spec.Child("signerName"))...)
	}
	if n := csr.Spec.ExpirationSeconds; n != nil && *n < 600 {
		errs = append(errs, field.Invalid(spec.Child("expirationSeconds"), *n, "may not specify a duration less than 600 seconds (10 minutes)"))
	}
	errs = append(errs, validateRequestConditions(csr, old, field.NewPath("status", "conditions"))...)
	if look != nil && !bytes.Equal(csr.Status.Certificate, old.Status.Certificate) && look.CheckCertificates(old.Status.Certificate) == nil {
		if err := look.CheckCertificates(csr.Status.Certificate); err != nil {
			errs = append(errs, field.Invalid(field.NewPath("status", "certificate"), "<certificate data>", err.Error()))
		}
	}
	return errs
}

func repeats[T comparable](list []T) bool {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return true
		}
	}
	return false
}

func conditionTypes(csr *certificatesv1.CertificateSigningRequest) []certificatesv1.RequestConditionType {
	var out []certificatesv1.RequestConditionType
	for _, c := range csr.Status.Conditions {
		out = append(out, c.Type)
	}
	return out
}

// validateRequestConditions is upstream's validateConditions.
func validateRequestConditions(csr, old *certificatesv1.CertificateSigningRequest, path *field.Path) field.ErrorList {
	const approved, denied = certificatesv1.CertificateApproved, certificatesv1.CertificateDenied
	var errs field.ErrorList
	types, before := conditionTypes(csr), conditionTypes(old)
	for i, c := range csr.Status.Conditions {
		at := path.Index(i)
		if c.Type == "" && !slices.Contains(before, "") {
			errs = append(errs, field.Required(at.Child("type"), ""))
		}
		statuses := []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown}
		if c.Type == approved || c.Type == denied || c.Type == certificatesv1.CertificateFailed {
			statuses = []corev1.ConditionStatus{corev1.ConditionTrue}
		}
		if c.Status == "" {
			errs = append(errs, field.Required(at.Child("status"), ""))
		} else if !slices.Contains(statuses, c.Status) {
			errs = append(errs, field.NotSupported(at.Child("status"), c.Status, statuses))
		}
		both := c.Type == approved && slices.Contains(types[:i], denied) || c.Type == denied && slices.Contains(types[:i], approved)
		if both && !(slices.Contains(before, approved) && slices.Contains(before, denied)) {
			errs = append(errs, field.Invalid(path, c.Type, "Approved and Denied conditions are mutually exclusive"))
		}
		if slices.Contains(types[:i], c.Type) && !repeats(before) {
			errs = append(errs, field.Duplicate(at.Child("type"), c.Type))
		}
	}
	return errs
}

// RequestChange is what a path to a request may change.
type RequestChange struct {
	Approval    bool // conditions Approved and Denied
	Certificate bool // the certificate, once
}

// ValidateCertificateSigningRequestUpdate is upstream's validateCertificateSigningRequestUpdate.
// Simplified: what has changed in a condition is not written out.
func ValidateCertificateSigningRequestUpdate(csr, old *certificatesv1.CertificateSigningRequest, may RequestChange, look Certificates) field.ErrorList {
	errs := ValidateCertificateSigningRequest(csr, old, look)
	conditions := field.NewPath("status", "conditions")
	find := func(csr *certificatesv1.CertificateSigningRequest, t certificatesv1.RequestConditionType) []certificatesv1.CertificateSigningRequestCondition {
		return slices.DeleteFunc(slices.Clone(csr.Status.Conditions), func(c certificatesv1.CertificateSigningRequestCondition) bool { return c.Type != t })
	}
	for _, t := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied,
		certificatesv1.CertificateFailed} {
		if len(find(csr, t)) < len(find(old, t)) {
			errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not remove a condition of type %q", t)))
		}
	}
	if !may.Approval {
		for _, t := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied} {
			is, was := find(csr, t), find(old, t)
			switch {
			case len(is) < len(was): // said above
			case len(is) > len(was):
				errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not add a condition of type %q", t)))
			case !api.SemanticDeepEqual(is, was):
				errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not modify a condition of type %q", t)))
			}
		}
	}
	if !bytes.Equal(csr.Status.Certificate, old.Status.Certificate) {
		path := field.NewPath("status", "certificate")
		if !may.Certificate {
			errs = append(errs, field.Forbidden(path, "updates may not set certificate content"))
		} else if len(old.Status.Certificate) > 0 {
			errs = append(errs, field.Forbidden(path, "updates may not modify existing certificate content"))
		}
	}
	return errs
}

// validateSignerName is upstream's core/validation/names.go, ValidateSignerName.
func validateSignerName(name string, path *field.Path) field.ErrorList {
	const maxDomain = 253
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	domain, rest, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(rest, "/") {
		return field.ErrorList{field.Invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	var errs field.ErrorList
	if len(domain) > maxDomain {
		errs = append(errs, field.TooLong(path, "", maxDomain))
	}
	each := func(text string, check func(string) []string) {
		for _, label := range strings.Split(text, ".") {
			if messages := check(label); len(messages) > 0 {
				for _, m := range messages {
					errs = append(errs, field.Invalid(path, text, fmt.Sprintf("validating label %q: %s", label, m)))
				}
				return
			}
		}
	}
	each(domain, validate.IsDNS1123Label)
	if !strings.Contains(domain, ".") {
		errs = append(errs, field.Invalid(path, domain, "should be a domain with at least two segments separated by dots"))
	}
	each(rest, validate.IsDNS1123Subdomain)
	if longest := maxDomain + 253 + 63 + 1 + 1; len(name) > longest {
		errs = append(errs, field.TooLong(path, "", longest))
	}
	return errs
}
