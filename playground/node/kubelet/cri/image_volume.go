//go:build !js || cel

package cri

import (
	"slices"
	"strings"
)

func init() {
	mountImages = (*Runtime).mountImages
	mountsImage = func(c *Container, image string) bool {
		return slices.ContainsFunc(c.Config.Mounts, func(m Mount) bool { return m.Volume.Image != "" && NormalizeImage(m.Volume.Image) == image })
	}
	rareImages = append(rareImages, &kitten)
}

// kitten is an image of upstream's end-to-end tests, without its picture. Upstream: test/images/kitten.
var kitten = Behaviour{
	Images: []string{"kitten"}, SizeBytes: 49642095, Cmd: []string{"test-webserver"}, Memory: 9 << 20, Ports: []int32{80}, Root: "/",
	Files: map[string]string{"/data.json": "{\n  \"image\": \"kitten.jpg\"\n}\n", "/etc/os-release": alpineRelease},
}

const alpineRelease = "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.21.0\nPRETTY_NAME=\"Alpine Linux v3.21\"\n"

func (r *Runtime) mountImages(c *Container) error {
	for i := range c.Config.Mounts {
		if m := &c.Config.Mounts[i]; m.Volume.Image != "" {
			files, err := r.imageFiles(c.SandboxID, m.Volume.Image, m.SubPath)
			if err != nil {
				return err
			}
			m.Volume, m.SubPath = &Volume{files: files, Image: m.Volume.Image}, ""
		}
	}
	return nil
}

// imageFiles are the files that are known of an image, or those of one of its directories.
// Upstream: containerd's internal/cri/server/container_image_mount.go, mutateImageMount and ensureImageSubPath.
func (r *Runtime) imageFiles(sandboxID, name, subPath string) (map[string]string, error) {
	const failed = "failed to mount image volume: ImageVolumeMountFailed: "
	image := r.disk.image(NormalizeImage(name))
	if image == nil {
		return nil, &Error{"NotFound", failed + "failed to resolve image \"" + name + "\": not found"}
	}
	_, digest, _ := strings.Cut(image.Ref, "@sha256:")
	target := "/run/containerd/io.containerd.grpc.v1.cri/image-volumes/" + sandboxID + "/" + digest
	cannot := func(why string) (map[string]string, error) {
		return nil, &Error{"Unknown", failed + "failed to ensure image subpath \"" + subPath + "\" in \"" + target + "\": " + why}
	}
	out, dir := map[string]string{}, clean("/", subPath)
	for path, data := range lookup(name).Files { // order: each is its own
		if path == dir {
			return cannot("only directory subpath is supported, subpath: \"" + subPath + "\", mountpoint: \"" + target + "\" ")
		}
		if inside, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok {
			out[inside] = data
		}
	}
	if dir != "/" && len(out) == 0 {
		return cannot("openat " + subPath + ": no such file or directory")
	}
	return out, nil
}
