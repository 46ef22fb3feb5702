// Package apiextensionsv1 holds CustomResourceDefinitions.
//
// The types are generated from upstream's k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1; see ../gen.
package apiextensionsv1
