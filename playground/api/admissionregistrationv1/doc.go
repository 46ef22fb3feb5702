// Package admissionregistrationv1 holds webhooks and policies of admission.
//
// The types are generated from upstream's k8s.io/api/admissionregistration/v1; see ../gen.
package admissionregistrationv1
