//go:build !js

package cri

import (
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
)

// The kinds of sample-apiserver. Upstream: k8s.io/sample-apiserver/pkg/apis/wardle, with its packages v1alpha1, v1beta1 and validation.

const (
	wardleGroup   = "wardle.example.com"
	wardleAlpha   = "v1alpha1" // in which objects are stored
	wardleBeta    = "v1beta1"  // which is preferred
	flunderKind   = "Flunder"
	fischerKind   = "Fischer"
	wardleFlunder = "flunders"
	wardleFischer = "fischers"
)

// wardleResource is one of its resources.
type wardleResource struct {
	name, singular, kind string
	namespaced           bool
}

var (
	fischers = &wardleResource{wardleFischer, "fischer", fischerKind, false}
	flunders = &wardleResource{wardleFlunder, "flunder", flunderKind, true}
)

// wardleVersions are its resources by version.
var wardleVersions = map[string][]*wardleResource{wardleAlpha: {fischers, flunders}, wardleBeta: {flunders}}

// wardleObject is a Flunder or a Fischer, whatever the version.
type wardleObject struct {
	meta metav1.ObjectMeta

	flunder, fischer, reference string   // a Flunder's: spec.flunderReference, spec.fischerReference and spec.referenceType
	disallowed                  []string // a Fischer's
}

// wardleVersioned is an object in a version. to and from are its conversion.
type wardleVersioned interface {
	head() (*metav1.TypeMeta, *metav1.ObjectMeta)
	to(o *wardleObject)
	from(o *wardleObject)
}

// in returns an empty object of a version.
func (r *wardleResource) in(version string) wardleVersioned {
	switch {
	case r == fischers:
		return &fischerAlpha{}
	case version == wardleBeta:
		return &flunderBeta{}
	}
	return &flunderAlpha{}
}

type fischerAlpha struct {
	metav1.TypeMeta    `json:",inline"`
	metav1.ObjectMeta  `json:"metadata,omitempty"`
	DisallowedFlunders []string `json:"disallowedFlunders,omitempty"`
}

func (f *fischerAlpha) head() (*metav1.TypeMeta, *metav1.ObjectMeta) {
	return &f.TypeMeta, &f.ObjectMeta
}
func (f *fischerAlpha) to(o *wardleObject)   { o.disallowed = f.DisallowedFlunders }
func (f *fischerAlpha) from(o *wardleObject) { f.DisallowedFlunders = o.disallowed }

type flunderAlpha struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Reference     string  `json:"reference,omitempty"`
		ReferenceType *string `json:"referenceType,omitempty"`
	} `json:"spec,omitempty"`
	Status struct{} `json:"status,omitempty"`
}

func (f *flunderAlpha) head() (*metav1.TypeMeta, *metav1.ObjectMeta) {
	return &f.TypeMeta, &f.ObjectMeta
}

// to is upstream's v1alpha1/defaults.go, SetDefaults_FlunderSpec, and conversion.go.
func (f *flunderAlpha) to(o *wardleObject) {
	kind := f.Spec.ReferenceType
	if (kind == nil || *kind == "") && f.Spec.Reference != "" {
		kind = new(string)
		*kind = flunderKind
	}
	switch {
	case kind == nil:
	case *kind == flunderKind:
		o.reference, o.flunder = *kind, f.Spec.Reference
	case *kind == fischerKind:
		o.reference, o.fischer = *kind, f.Spec.Reference
	}
}

func (f *flunderAlpha) from(o *wardleObject) {
	if kind := o.reference; kind == flunderKind {
		f.Spec.ReferenceType, f.Spec.Reference = &kind, o.flunder
	} else if kind == fischerKind {
		f.Spec.ReferenceType, f.Spec.Reference = &kind, o.fischer
	}
}

type flunderBeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		FlunderReference string `json:"flunderReference,omitempty"`
		FischerReference string `json:"fischerReference,omitempty"`
		ReferenceType    string `json:"referenceType,omitempty"`
	} `json:"spec,omitempty"`
	Status struct{} `json:"status,omitempty"`
}

func (f *flunderBeta) head() (*metav1.TypeMeta, *metav1.ObjectMeta) {
	return &f.TypeMeta, &f.ObjectMeta
}

func (f *flunderBeta) to(o *wardleObject) {
	o.flunder, o.fischer, o.reference = f.Spec.FlunderReference, f.Spec.FischerReference, f.Spec.ReferenceType
}

func (f *flunderBeta) from(o *wardleObject) {
	f.Spec.FlunderReference, f.Spec.FischerReference, f.Spec.ReferenceType = o.flunder, o.fischer, o.reference
}

// validate checks what is new. An update is not checked. Upstream: validation/validation.go, ValidateFlunderSpec.
func (o *wardleObject) validate() (errs field.ErrorList) {
	invalid := func(name, value, detail string) {
		errs = append(errs, field.Invalid(field.NewPath("spec", name), value, detail))
	}
	switch {
	case o.flunder != "" && o.fischer != "":
		invalid("fischerReference", o.fischer, "cannot be set with flunderReference at the same time")
	case o.flunder != "" && o.reference != flunderKind:
		invalid("flunderReference", o.flunder, "cannot be set if referenceType is not Flunder")
	case o.fischer != "" && o.reference != fischerKind:
		invalid("fischerReference", o.fischer, "cannot be set if referenceType is not Fischer")
	case o.fischer == "" && o.reference == fischerKind:
		invalid("fischerReference", o.fischer, "cannot be empty if referenceType is Fischer")
	case o.flunder == "" && o.reference == flunderKind:
		invalid("flunderReference", o.flunder, "cannot be empty if referenceType is Flunder")
	}
	if o.reference != "" && o.reference != fischerKind && o.reference != flunderKind {
		invalid("referenceType", o.reference, "must be Flunder or Fischer")
	}
	return errs
}
