// A button of the desk that asks back.

import { SureButton } from "../shell/sending.tsx";
import { useDesk } from "./words/index.ts";

interface Props {
  name: string;
  label: string;
  busy?: boolean;
  act: () => void;
}

export function Really(props: Props) {
  return <SureButton {...props} really={useDesk().really} />;
}
