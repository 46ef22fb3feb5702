package validation

import (
	"fmt"

	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// ValidateAPIService is upstream's kube-aggregator/pkg/apis/apiregistration/validation/validation.go, ValidateAPIService.
func ValidateAPIService(s *apiregistrationv1.APIService) field.ErrorList {
	var errs field.ErrorList
	path := specPath
	if name := s.Spec.Version + "." + s.Spec.Group; s.Name != name {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), s.Name, fmt.Sprintf("must be `spec.version+\".\"+spec.group`: %q", name)))
	}
	if s.Spec.Group == "" && s.Spec.Version != "v1" {
		errs = append(errs, field.Required(path.Child("group"), "only v1 may have an empty group and it better be legacy kube"))
	}
	if s.Spec.Group != "" {
		errs = append(errs, invalidFor(path.Child("group"), s.Spec.Group, validate.IsDNS1123Subdomain(s.Spec.Group))...)
	}
	errs = append(errs, invalidFor(path.Child("version"), s.Spec.Version, NameIsDNS1035Label(s.Spec.Version, false))...)
	if v := s.Spec.GroupPriorityMinimum; v <= 0 || v > 20000 {
		errs = append(errs, field.Invalid(path.Child("groupPriorityMinimum"), v, "must be positive and less than 20000"))
	}
	if v := s.Spec.VersionPriority; v <= 0 || v > 1000 {
		errs = append(errs, field.Invalid(path.Child("versionPriority"), v, "must be positive and less than 1000"))
	}
	service := s.Spec.Service
	if service == nil {
		if len(s.Spec.CABundle) != 0 {
			errs = append(errs, field.Invalid(path.Child("caBundle"), fmt.Sprintf("%d bytes", len(s.Spec.CABundle)),
				"local APIServices may not have a caBundle"))
		}
		if s.Spec.InsecureSkipTLSVerify {
			errs = append(errs, field.Invalid(path.Child("insecureSkipTLSVerify"), true, "local APIServices may not have insecureSkipTLSVerify"))
		}
		return errs
	}
	if service.Namespace == "" {
		errs = append(errs, field.Required(path.Child("service", "namespace"), ""))
	}
	if service.Name == "" {
		errs = append(errs, field.Required(path.Child("service", "name"), ""))
	}
	if service.Port != nil {
		errs = append(errs, portNumber(*service.Port, path.Child("service", "port"))...)
	}
	if s.Spec.InsecureSkipTLSVerify && len(s.Spec.CABundle) > 0 {
		errs = append(errs, field.Invalid(path.Child("insecureSkipTLSVerify"), true, "may not be true if caBundle is present"))
	}
	return errs
}
