// Package kustomize builds what a kustomization asks for, as kubectl kustomize and -k do: of files and the folder to build, it makes
// objects, in the order in which kubectl applies them, or the words in which the real engine gives up. It exists because hardly
// anybody applies plain manifests to more than one cluster; and what the server gets is plain objects.
//
// Files come as JSON, as the host has read them: an object, a list of objects for several documents, a list of operations for a JSON
// patch, a text for what is no YAML. Patches that stand in a kustomization are texts, which api/yaml reads. Objects are trees, as
// encoding/json makes them. In the browser all this is in the larger build alone: it would be an eightieth of the other one.
//
// A build loads a kustomization, the resources that it names, and folders among them in the same way (kustomization.go); it makes
// ConfigMaps and Secrets (generator.go), lets components and then the folder's own transformers change all of it (transform.go,
// patch.go, merge.go, replacement.go), and at the end appends hashes to names and corrects the references to names that have changed
// (reference.go). Each resource remembers what it was called before (resource.go).
//
// Simplified: patterns of selectors know no brackets; the name of an image is a name, not a pattern; a replacement does not look into
// texts that hold YAML or JSON; an error does not show the generator that it is about. A resource's previous names are beside
// it, not in annotations. Lists that a patch merges are those that the types say, which are newer than the schemas in Kustomize.
//
// Absent, and refused: what is fetched (URLs of files, of repositories), plugins (generators, transformers, validators), Helm charts,
// vars, crds, configurations, openapi and buildMetadata; and all flags of kubectl kustomize.
//
// Upstream: sigs.k8s.io/kustomize/api (krusty, internal/target, internal/accumulator, internal/builtins, filters, resmap, resource),
// sigs.k8s.io/kustomize/kyaml (yaml/walk, yaml/merge2, resid), cli-runtime pkg/resource/kustomizevisitor.go.
package kustomize
