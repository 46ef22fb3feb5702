// Package certificatesv1 holds CertificateSigningRequests.
//
// The types are generated from upstream's k8s.io/api/certificates/v1; see ../gen.
package certificatesv1
