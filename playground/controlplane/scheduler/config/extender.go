package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// Extender is a program that is asked over HTTP, as a configuration describes it.
// Upstream: kube-scheduler/config/v1, types.go. Absent: preemptVerb, enableHTTPS and tlsConfig.
type Extender struct {
	// URLPrefix is where it answers; a verb is added behind a slash. Without a verb it is not asked that.
	URLPrefix      string `json:"urlPrefix"`
	FilterVerb     string `json:"filterVerb,omitempty"`
	PrioritizeVerb string `json:"prioritizeVerb,omitempty"`
	// Weight is how much its scores count.
	Weight   int64  `json:"weight,omitempty"`
	BindVerb string `json:"bindVerb,omitempty"`
	// HTTPTimeout is how long it may take, "5s" when nothing is said.
	HTTPTimeout Duration `json:"httpTimeout,omitempty"`
	// NodeCacheCapable has it get the names of nodes; otherwise it gets the nodes.
	NodeCacheCapable bool `json:"nodeCacheCapable,omitempty"`
	// ManagedResources are the extended resources for which it is asked; none is for every Pod.
	ManagedResources []ExtenderManagedResource `json:"managedResources,omitempty"`
	// Ignorable has Pods scheduled without it when it cannot be asked.
	Ignorable bool `json:"ignorable,omitempty"`
}

// ExtenderManagedResource is an extended resource that an extender manages.
type ExtenderManagedResource struct {
	Name string `json:"name"`
	// IgnoredByScheduler has NodeResourcesFit not look at it.
	IgnoredByScheduler bool `json:"ignoredByScheduler,omitempty"`
}

// Duration is written as "5s". Upstream: metav1.Duration.
type Duration time.Duration

// MarshalText writes it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads it.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v < 0 {
		err = errors.New("a duration cannot be negative")
	}
	*d = Duration(v)
	return err
}

// ValidateExtenders says what is wrong with extenders.
// Upstream: apis/config/validation/validation.go, validateExtenders. The URL is what upstream's client would find out.
func ValidateExtenders(extenders []Extender) error {
	var errs Errors
	binders := 0
	all, managed := field.NewPath("extenders"), map[string]bool{}
	for i, e := range extenders {
		path := all.Index(i)
		if !strings.HasPrefix(e.URLPrefix, "http://") {
			errs = append(errs, field.Invalid(path.Child("urlPrefix"), e.URLPrefix, "must begin with http://: there is no TLS here"))
		}
		if e.PrioritizeVerb != "" && e.Weight <= 0 {
			errs = append(errs, field.Invalid(path.Child("weight"), e.Weight, "must have a positive weight applied to it"))
		}
		if e.BindVerb != "" {
			binders++
		}
		for j, r := range e.ManagedResources {
			at := path.Child("managedResources").Index(j).Child("name")
			if wrong := validateLabelName(at, r.Name); len(wrong) > 0 {
				errs = append(errs, wrong...)
			} else if !isExtendedResourceName(r.Name) {
				errs = append(errs, field.Invalid(at, r.Name, "is an invalid extended resource name"))
			}
			if managed[r.Name] {
				errs = append(errs, field.Invalid(at, r.Name, "duplicate extender managed resource name"))
			}
			managed[r.Name] = true
		}
	}
	if binders > 1 {
		errs = append(errs, field.Invalid(all, fmt.Sprintf("found %d extenders implementing bind", binders), "only one extender can implement bind"))
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// Upstream: pkg/apis/core/v1/helper/helpers.go, IsExtendedResourceName.
func isExtendedResourceName(name string) bool {
	return strings.Contains(name, "/") && !strings.Contains(name, "kubernetes.io/") && !strings.HasPrefix(name, "requests.") &&
		len(validate.IsLabelKey("requests."+name)) == 0
}
