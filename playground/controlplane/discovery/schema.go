package discovery

import (
	"maps"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
)

// ObjectMeta is the name of the metadata's type in OpenAPI documents.
const ObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

const conventions = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#"

// Schema is a custom kind's schema with the fields that every object has, as OpenAPI documents contain it.
// Upstream: apiextensions-apiserver/pkg/controller/openapi/builder/builder.go, buildKubeNative.
func Schema(k *api.Kind) *apiextensionsv1.JSONSchemaProps {
	whole := *k.Schema
	whole.Properties = maps.Clone(whole.Properties)
	if whole.Properties == nil {
		whole.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
	}
	whole.Properties["apiVersion"] = apiextensionsv1.JSONSchemaProps{Type: "string", Description: "APIVersion defines the versioned schema of this " +
		"representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. " +
		conventions + "resources"}
	whole.Properties["kind"] = apiextensionsv1.JSONSchemaProps{Type: "string", Description: "Kind is a string value representing the REST resource this " +
		"object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. " + conventions + "types-kinds"}
	ref := "#/components/schemas/" + ObjectMeta
	whole.Properties["metadata"] = apiextensionsv1.JSONSchemaProps{Description: "Standard object's metadata. " + conventions + "metadata",
		AllOf: []apiextensionsv1.JSONSchemaProps{{Ref: &ref}}}
	return &whole
}
