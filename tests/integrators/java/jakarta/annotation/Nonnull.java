package jakarta.annotation;

/** As generated code names it; it does nothing. */
public @interface Nonnull {}
