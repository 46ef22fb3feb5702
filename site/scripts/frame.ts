// What stands around the text, on every page of the book. Without it all is
// there and nothing follows the reader.

import { followScroll, showPlace } from "./contents";
import { copyLinks } from "./copylink";
import { prefetch } from "./prefetch";
import { keepVisited } from "../offline/register";
import { later } from "./later";
import "./search";

showPlace();
followScroll();
copyLinks();
prefetch();
keepVisited();
later();
