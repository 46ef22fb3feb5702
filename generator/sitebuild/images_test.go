package sitebuild

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/image/webp"
)

// screenshot is a PNG that is the smaller the fewer pixels it has.
func screenshot(t *testing.T) string {
	img := image.NewNRGBA(image.Rect(0, 0, 900, 300))
	noise := rand.New(rand.NewPCG(1, 2))
	for y := range 300 {
		for x := range 900 {
			c := color.NRGBA{250, 250, 250, 255}
			if x < 300 {
				c = color.NRGBA{uint8(x), uint8(y), uint8(noise.Uint32()), 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// photograph is a JPEG of slopes and noise.
func photograph(t *testing.T) string {
	img, noise := image.NewNRGBA(image.Rect(0, 0, 600, 200)), rand.New(rand.NewPCG(3, 4))
	for y := range 200 {
		for x := range 600 {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x/4 + int(noise.Uint32()%9)), uint8(y), uint8(x/8 + y/2), 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestImagesAreSizedAndConverted(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book/", map[string]string{
		"en/start/tour.md":        "---\ntitle: Tour\ndescription: d\norder: 1\n---\n## One {#one}\n\n![A shot](<my shot.png>)\n\n![A queue](queue.svg)\n\n![A view](view.jpg)\n",
		"en/start/view.jpg":       photograph(t),
		"ja/start/tour.md":        "---\ntitle: ツアー\ndescription: d\norder: 1\n---\n## 一つ {#one}\n\n![図](../../en/start/queue.svg)\n",
		"en/start/my shot.png":    screenshot(t),
		"en/start/queue.dark.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect/></svg>`,
	})
	if err != nil {
		t.Fatal(err)
	}
	page, _ := tree.Get("en/start/tour/index.html")
	set := regexp.MustCompile(
		`<img src="/book/(assets/[^"]+\.webp)" srcset="/book/(assets/[^ ]+\.webp) 400w, (?:[^ ]+ 800w, )?/book/(assets/[^ ]+\.webp) 900w" sizes="[^"]+" width="900" height="300" alt="A shot" decoding="async">`).FindSubmatch(page)
	if set == nil {
		t.Fatalf("the page has no set of sizes:\n%s", page)
	}
	for i, width := range map[int]int{1: 900, 2: 400, 3: 900} {
		data, ok := tree.Get(string(set[i]))
		if !ok {
			t.Errorf("%s is not there", set[i])
			continue
		}
		if c, err := webp.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width != width {
			t.Errorf("%s is %d wide, want %d: %v", set[i], c.Width, width, err)
		}
	}
	photo := regexp.MustCompile(
		`<picture><source type="image/webp" srcset="/book/(assets/[^ ]+\.webp) 400w, /book/(assets/[^ ]+\.webp) 600w" sizes="[^"]+"><img src="/book/(assets/[^"]+\.jpg)" width="600" height="200" alt="A view" loading="lazy" decoding="async"></picture>`).FindSubmatch(page)
	if photo == nil {
		t.Fatalf("the page has no photograph with its copies:\n%s", page)
	}
	for _, name := range photo[1:] {
		if _, ok := tree.Get(string(name)); !ok {
			t.Errorf("%s is not there", name)
		}
	}
	for _, name := range []string{"en", "ja"} {
		page, _ := tree.Get(name + "/start/tour/index.html")
		for _, class := range []string{"on-light", "on-dark"} {
			if !bytes.Contains(page, []byte(`<img class="`+class+`" src="/book/assets/en-start-queue`)) {
				t.Errorf("%s: no image %s", name, class)
			}
		}
	}
}

func TestAnImageThatRunsSomething(t *testing.T) {
	_, err := buildBook(t, "", map[string]string{"en/start/queue.svg": "<svg viewBox='0 0 9 9'>\n  <script>x</script>\n</svg>"})
	if err == nil || !strings.Contains(err.Error(), `content/en/start/queue.svg:2:3: element "script" in an SVG`) || strings.Contains(err.Error(), "tour.md") {
		t.Errorf("got %v", err)
	}
}
